import { createImitationBuffer } from '@emac/buffers';
import { expect, it } from 'vitest';
import { blank } from './bag-of-words.test.fixture.ts';
import { appender } from './micro-batches.ts';

const origin = { gameId: 'g', round: 0, episode: 0, step: 0, featuresKey: blank.key };
const words = (text: string) => ({ ...origin, text, target: ' look' });

it('takes a transition again once a full buffer has lost it, as a run does that goes on with what the buffer holds', () => {
  const buffer = createImitationBuffer({ capacity: 2 });
  const append = appender(buffer, true);
  for (const text of ['a', 'a', 'b', 'b', 'c', 'a']) append(words(text), blank);
  // a, b; c pushes a out; a is new again and pushes b out
  expect([buffer.at(0).text, buffer.at(1).text, buffer.appended]).toEqual(['c', 'a', 4]);
  const afterInterruption = appender(buffer, true);
  afterInterruption(words('c'), blank);
  afterInterruption(words('b'), blank);
  expect([buffer.at(0).text, buffer.at(1).text, buffer.appended]).toEqual(['a', 'b', 5]);
});
