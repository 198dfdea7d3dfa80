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
import { createStudent, type StudentOptions } from './student.ts';

const imitation: ImitationRow[] = [
  { features: randomFeatures('one'), text: 'abc >', target: ' go', weight: 0.5 },
  { features: randomFeatures('two'), text: 'a', target: ' be kind', weight: 0.2 },
  { features: randomFeatures('one'), text: 'abc > lo >', target: '', weight: 0.3 },
];

const preference: PreferenceRow[] = [
  { ...row('one', 'abc >', ' go', ' fall in'), referenceChosen: -2.5, referenceRejected: -3, weight: 0.75 },
  {
    ...row('two', 'ab > kiln 1 >', ' one', ' no'),
    referenceChosen: -4,
    referenceRejected: -2,
    weight: 0.25,
  },
];

function row(seed: string, text: string, chosen: string, rejected: string) {
  return { features: randomFeatures(seed), text, chosen, rejected };
}

/** Largest difference relative to the largest number. */
function relativeDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  return largestDifference(found, expected) / Math.max(...Array.from(expected, Math.abs));
}

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
        ...{ model: folder, projection: await randomProjection(), threads: 1 },
        generation: { beams: 3, minLength: 3, maxLength: 8 },
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
        (await student.logProbabilities(imitation)).map(({ sum }) => sum);
      expect(relativeDifference(await sums(streamed), await sums(whole))).toBeLessThan(1e-5);
    });

    it('give its loss and gradients of imitation, run after run', async () => {
      const expected = await whole.imitationGradient(imitation);
      for (let run = 0; run < 2; run++) {
        const found = await streamed.imitationGradient(imitation);
        expect(Math.abs(found.loss / expected.loss - 1)).toBeLessThan(1e-5);
        expectClose(found.gradients, expected.gradients);
      }
    });

    it('give its loss and gradients of preferences', async () => {
      const options = { beta: 0.8, mixRatio: 0.3 };
      const expected = await whole.preferenceGradient(preference, options);
      const found = await streamed.preferenceGradient(preference, options);
      expect(Math.abs(found.loss / expected.loss - 1)).toBeLessThan(1e-5);
      expect(relativeDifference(found.rejected, expected.rejected)).toBeLessThan(1e-5);
      expectClose(found.gradients, expected.gradients);
    });

    it('generate the same text, and see the same in a frame', async () => {
      const frame = randomFrame('frame');
      const features = await whole.features(frame);
      expect(largestDifference((await streamed.features(frame)).data, features.data)).toBeLessThan(1e-3);
      for (const text of ['abc >', 'a', 'lo > kiln 1 >'])
        expect(await streamed.act(text, features)).toBe(await whole.act(text, features));
    });
  },
);
