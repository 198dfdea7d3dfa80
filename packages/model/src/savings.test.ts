import { rmSync } from 'node:fs';
import type { ImitationRow, PreferenceRow, Student } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  largestDifference,
  randomFeatures,
  randomFrame,
  randomProjection,
  writeRandomModel,
} from './random-model.test.support.ts';
import type { Savings } from './savings.ts';
import { createStudent } from './student.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));

/** Texts and answers of very different lengths, so that an order by length is another one than this. */
const texts = ['a', 'abc > lo > kiln 1 >', 'ab >', 'a', 'abc > lo >'];
const answers: readonly (readonly [string, string])[] = [
  [' go', ' fall in'],
  [' one', ' no'],
  ['', ' be kind'],
  [' fall in', ' go'],
  [' lid', ' be'],
];
const imitation: ImitationRow[] = texts.map((text, index) => ({
  ...{ text, target: answers[index]![0], features: randomFeatures(`frame ${index % 3}`) },
  weight: 0.1 * (index + 1),
}));
const preference: PreferenceRow[] = texts.map((text, index) => ({
  ...{ text, chosen: answers[index]![0], rejected: answers[index]![1] },
  ...{ features: randomFeatures(`frame ${index % 3}`), weight: 0.1 * (index + 1) },
  ...{ referenceChosen: -2 - index / 4, referenceRejected: -3 + index / 4 },
}));
const options = { beta: 0.8, mixRatio: 0.3 };

const open = async (savings: Partial<Savings> | 'none', positionsPerRun = 80): Promise<Student> =>
  createStudent({
    ...{ model: folder, projection: await randomProjection(), threads: 1, positionsPerRun },
    ...{ savings, generation: { beams: 1, minLength: 1, maxLength: 12 } },
  });

/** Largest difference relative to the largest number. */
const relativeDifference = (found: ArrayLike<number>, expected: ArrayLike<number>): number =>
  largestDifference(found, expected) / Math.max(...Array.from(expected, Math.abs));

function expectEqual(found: ReadonlyMap<string, Float32Array>, expected: ReadonlyMap<string, Float32Array>) {
  expect([...found.keys()]).toEqual([...expected.keys()]);
  for (const [name, values] of expected)
    expect(relativeDifference(found.get(name)!, values), name).toBeLessThan(1e-5);
}

describe('without', () => {
  let whole: Student;
  beforeAll(async () => (whole = await open({})));
  afterAll(() => whole.dispose());

  it.each<[string, Partial<Savings> | 'none']>([
    ['shared prompts', { sharedPrompts: false }],
    ['logits at labels only', { labelLogits: false }],
    ['groups of similar length', { groupedByLength: false }],
    ['any saving', 'none'],
  ])('%s all log-probabilities, losses and gradients are the same', async (_, savings) => {
    const other = await open(savings);
    try {
      const sums = async (student: Student) =>
        (await student.logProbabilities(imitation)).map(({ sum }) => sum);
      expect(relativeDifference(await sums(other), await sums(whole))).toBeLessThan(1e-5);

      const imitated = await whole.imitationGradient(imitation);
      const imitatedToo = await other.imitationGradient(imitation);
      expect(Math.abs(imitatedToo.loss / imitated.loss - 1)).toBeLessThan(1e-5);
      expectEqual(imitatedToo.gradients, imitated.gradients);

      const preferred = await whole.preferenceGradient(preference, options);
      const preferredToo = await other.preferenceGradient(preference, options);
      expect(Math.abs(preferredToo.loss / preferred.loss - 1)).toBeLessThan(1e-5);
      expect(relativeDifference(preferredToo.chosen, preferred.chosen)).toBeLessThan(1e-5);
      expect(relativeDifference(preferredToo.rejected, preferred.rejected)).toBeLessThan(1e-5);
      expectEqual(preferredToo.gradients, preferred.gradients);
    } finally {
      await other.dispose();
    }
  });

  it('remembered features they are computed again, to the same bits', async () => {
    const other = await open({ features: false });
    try {
      const frame = randomFrame('seen twice');
      const remembered = await whole.features(frame);
      expect(await whole.features(frame)).toBe(remembered);
      const [first, second] = [await other.features(frame), await other.features(frame)];
      expect(second).not.toBe(first);
      expect([first, second]).toEqual([remembered, remembered]);
    } finally {
      await other.dispose();
    }
  });
});
