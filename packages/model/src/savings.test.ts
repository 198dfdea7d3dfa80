import { rmSync } from 'node:fs';
import type { GradientRow } from '@emac/core';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  randomFrame,
  randomProjection,
  randomPrompt,
  relativeDifference,
  sumOf,
  writeRandomModel,
} from './random-model.test.support.ts';
import type { Savings } from './savings.ts';
import { createStudent, type Student } from './student.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));

/** Texts and answers of very different lengths, so an order by length differs from this one. */
const texts = ['a', 'abc > lo > kiln 1 >', 'ab >', 'a', 'abc > lo >'];
const answers: readonly (readonly [string, string])[] = [
  [' go', ' fall in'],
  [' one', ' no'],
  ['', ' be kind'],
  [' fall in', ' go'],
  [' lid', ' be'],
];
const imitation: GradientRow[] = texts.map((text, index) => ({
  prompt: randomPrompt(text, `frame ${index % 3}`),
  answers: [answers[index]![0]],
  weight: 0.1 * (index + 1),
}));
const preference: GradientRow[] = texts.map((text, index) => ({
  prompt: randomPrompt(text, `frame ${index % 3}`),
  answers: answers[index]!,
  weight: 0.1 * (index + 1),
  constants: { referenceChosen: -2 - index / 4, referenceRejected: -3 + index / 4 },
}));
const loss = preferenceLossOf({ beta: 0.8, mixRatio: 0.3 });

const open = async (savings: Partial<Savings> | 'none', positionsPerRun = 80): Promise<Student> =>
  createStudent({
    model: folder,
    projection: await randomProjection(),
    threads: 1,
    positionsPerRun,
    savings,
    generation: { minLength: 1, maxLength: 12 },
  });

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
  ])('%s all log-probabilities, losses and gradients stay the same', async (_, savings) => {
    const other = await open(savings);
    try {
      const sums = async (student: Student) =>
        (await student.score(imitation)).map(([answer]) => sumOf(answer!));
      expect(relativeDifference(await sums(other), await sums(whole))).toBeLessThan(1e-5);

      const imitated = await whole.gradient(imitation, imitationLoss);
      const imitatedToo = await other.gradient(imitation, imitationLoss);
      expect(Math.abs(imitatedToo.loss / imitated.loss - 1)).toBeLessThan(1e-5);
      expectEqual(imitatedToo.gradients, imitated.gradients);

      const preferred = await whole.gradient(preference, loss);
      const preferredToo = await other.gradient(preference, loss);
      expect(Math.abs(preferredToo.loss / preferred.loss - 1)).toBeLessThan(1e-5);
      expect(
        relativeDifference(preferredToo.logProbabilities.flat(), preferred.logProbabilities.flat()),
      ).toBeLessThan(1e-5);
      expectEqual(preferredToo.gradients, preferred.gradients);
    } finally {
      await other.dispose();
    }
  });

  it('cached features they are recomputed to the same bits', async () => {
    const other = await open({ features: false });
    try {
      const frame = randomFrame('seen twice');
      const remembered = await whole.encode!(frame);
      expect(await whole.encode!(frame)).toBe(remembered);
      const [first, second] = [await other.encode!(frame), await other.encode!(frame)];
      expect(second).not.toBe(first);
      expect([first, second]).toEqual([remembered, remembered]);
    } finally {
      await other.dispose();
    }
  });
});
