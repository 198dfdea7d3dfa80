import { rmSync } from 'node:fs';
import type { GradientRow } from '@emac/core';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  randomAdapter,
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

describe('with shared beginnings', () => {
  const history = 'abc > lo > kiln 1 > go no';
  // a history that grows, another one, and a third that shows something else
  const steps = [4, 10, 17, 25].map((end) => [history.slice(0, end), 'frame 0'] as const);
  const given = [...steps, ['loki > a', 'frame 0'], ['abc > lo >', 'frame 1']] as const;
  const rowsOf = (of: (place: number) => Pick<GradientRow, 'answers' | 'constants'>): GradientRow[] =>
    given.map(([text, frame], place) => ({
      prompt: randomPrompt(text, frame),
      weight: 0.1 * (place + 1),
      ...of(place),
    }));
  const one = rowsOf((place) => ({ answers: [answers[place % 5]![0]] }));
  const two = rowsOf((place) => ({
    answers: answers[place % 5]!,
    constants: { referenceChosen: -2 - place / 4, referenceRejected: -3 + place / 4 },
  }));

  it.each(['resident', 'streamed'] as const)(
    'scores, losses and gradients of an adapter and the projection stay the same (%s layers)',
    async (layers) => {
      const [adapter, train] = [randomAdapter(folder), ['projection', 'adapter'] as const];
      const opened = async (sharedBeginnings: boolean) =>
        createStudent({
          model: folder,
          projection: await randomProjection(),
          adapter,
          train,
          threads: 1,
          layers,
          savings: { sharedBeginnings },
          generation: { minLength: 1, maxLength: 12 },
        });
      const [apart, together] = [await opened(false), await opened(true)];
      try {
        const scores = async (student: Student) =>
          (await student.score(two)).flat().flatMap((answer) => [...answer]);
        expect(relativeDifference(await scores(together), await scores(apart))).toBeLessThan(1e-5);
        for (const [rows, how] of [
          [one, imitationLoss],
          [two, loss],
        ] as const) {
          const expected = await apart.gradient(rows, how);
          const found = await together.gradient(rows, how);
          expect(Math.abs(found.loss / expected.loss - 1)).toBeLessThan(1e-5);
          expect(
            relativeDifference(found.logProbabilities.flat(), expected.logProbabilities.flat()),
          ).toBeLessThan(1e-5);
          expectEqual(found.gradients, expected.gradients);
        }
      } finally {
        await apart.dispose();
        await together.dispose();
      }
    },
  );
});
