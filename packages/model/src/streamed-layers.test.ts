import { rmSync } from 'node:fs';
import { promptOf, type GradientRow } from '@emac/core';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  imitation,
  largestDifference,
  openQuestion,
  randomFrame,
  randomProjection,
  randomPrompt,
  relativeDifference,
  sumOf,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student, type StudentOptions } from './student.ts';

const preference: GradientRow[] = [
  {
    prompt: randomPrompt('abc >', 'one'),
    answers: [' go', ' fall in'],
    constants: { referenceChosen: -2.5, referenceRejected: -3 },
    weight: 0.75,
  },
  {
    prompt: randomPrompt('ab > kiln 1 >', 'two', 'one'),
    answers: [' one', ' no'],
    constants: { referenceChosen: -4, referenceRejected: -2 },
    weight: 0.25,
  },
];

function expectClose(found: ReadonlyMap<string, Float32Array>, expected: ReadonlyMap<string, Float32Array>) {
  expect([...found.keys()]).toEqual([...expected.keys()]);
  for (const [name, values] of expected)
    expect(relativeDifference(found.get(name)!, values), name).toBeLessThan(1e-5);
}

describe.each([
  { dtype: 'F16', layers: 4, activations: 'kept' },
  { dtype: 'F16', layers: 4, activations: 'recomputed' },
  { dtype: 'BF16', layers: 3, activations: 'kept' },
  { dtype: 'F32', layers: 2, activations: 'kept' },
] as const)(
  'streamed layers ($dtype, $layers layers, activations $activations)',
  ({ activations, ...model }) => {
    const folder = writeRandomModel(model);
    let whole: Student;
    let streamed: Student;
    const open = async (options: Partial<StudentOptions>) =>
      createStudent({
        model: folder,
        projection: await randomProjection(),
        threads: 1,
        generation: { minLength: 3, maxLength: 8 },
        ...options,
      });
    beforeAll(async () => {
      whole = await open({ layers: 'resident' });
      streamed = await open({ layers: 'streamed', activations });
    });
    afterAll(async () => {
      await Promise.all([whole.dispose(), streamed.dispose()]);
      rmSync(folder, { recursive: true });
    });

    it('give the log-probabilities of the whole graph', async () => {
      const sums = async (student: Student) =>
        (await student.score(imitation)).map(([answer]) => sumOf(answer!));
      expect(relativeDifference(await sums(streamed), await sums(whole))).toBeLessThan(1e-5);
    });

    it('give its imitation loss and gradients, run after run', async () => {
      const expected = await whole.gradient(imitation, imitationLoss);
      for (let run = 0; run < 2; run++) {
        const found = await streamed.gradient(imitation, imitationLoss);
        expect(Math.abs(found.loss / expected.loss - 1)).toBeLessThan(1e-5);
        expectClose(found.gradients, expected.gradients);
      }
    });

    it('give its preference loss and gradients', async () => {
      const loss = preferenceLossOf({ beta: 0.8, mixRatio: 0.3 });
      const expected = await whole.gradient(preference, loss);
      const found = await streamed.gradient(preference, loss);
      expect(Math.abs(found.loss / expected.loss - 1)).toBeLessThan(1e-5);
      expect(
        relativeDifference(found.logProbabilities.flat(), expected.logProbabilities.flat()),
      ).toBeLessThan(1e-5);
      expectClose(found.gradients, expected.gradients);
    });

    it('generate the same text, and encode a frame the same', async () => {
      const frame = randomFrame('frame');
      const features = await whole.encode!(frame);
      expect(largestDifference((await streamed.encode!(frame)).data, features.data)).toBeLessThan(1e-3);
      const questions = ['abc >', 'a', 'lo > kiln 1 >'].map((text) =>
        openQuestion(promptOf([features], text)),
      );
      const search = { kind: 'search', beams: 3 } as const;
      const [found, expected] = [
        await streamed.decide(questions, search),
        await whole.decide(questions, search),
      ];
      expect(found.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens));
    });
  },
);
