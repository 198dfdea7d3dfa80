import type { Student } from '@emac/model';
import { promptOf } from '@emac/core';
import { expect, it } from 'vitest';
import { measure } from './measure.ts';

/**
 * A student whose first answer takes a second longer than the usual 100 ms per prompt; with streamed layers every pass
 * takes that second.
 */
function measured(layers: Student['layers'], limit: number) {
  let time = 0;
  let opened = layers === 'streamed';
  const student = {
    layers,
    countPromptTokens: (text: string) => text.length,
    decide: async (questions: readonly unknown[]) => {
      time += questions.length * 100 + (!opened || layers === 'streamed' ? 1000 : 0);
      opened = true;
      return [];
    },
  } as unknown as Student;
  const sample = (text: string) => ({ prompt: promptOf([], text), target: 'look' });
  const subject = {
    student,
    sampling: { kind: 'search', beams: 1 },
    samples: [sample('four')],
    last: sample('eight...'),
    parallel: 8,
    acts: true,
    training: null,
  } as const;
  return measure(subject, { now: () => time, limit, memory: () => ({ resident: 0, peak: 0 }) });
}

it('excludes opening sessions, even without time for a whole batch', async () => {
  // 1100 ms of the first row and 100 of the second leave 300, and eight rows take 800; prompts get twice as long
  const { decide, how } = await measured('resident', 1500);
  expect(decide).toEqual({ first: 100, last: 200 });
  expect(how).toEqual([
    'acting: one prompt answered',
    'acting at the last step: extrapolated by prompt length',
  ]);
});

it('includes it for streamed layers, where every pass opens them', async () => {
  expect((await measured('streamed', 1500)).decide).toEqual({ first: 1100, last: 2200 });
});

it('measures whole batches if there is time', async () => {
  expect((await measured('resident', 60_000)).decide).toEqual({ first: 100, last: 100 });
});
