import { expect, it } from 'vitest';
import { withoutAgent } from './agent-words.ts';

it('--agent names an environment, but a player in emac play', () => {
  const train = ['train', '--agent', './mine.mjs', '--seed', '1'];
  expect(withoutAgent(train)).toEqual(['train', '--env', 'agent:./mine.mjs', '--seed', '1']);
  expect(withoutAgent(['eval', '--agent=python3 a.py'])).toEqual(['eval', '--env', 'agent:python3 a.py']);
  expect(withoutAgent(['train', '--agent'])).toEqual(['train', '--agent']);
  expect(withoutAgent(['play', '--agent', 'RUN'])).toEqual(['play', '--agent', 'RUN']);
});
