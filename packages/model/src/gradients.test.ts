import { rmSync } from 'node:fs';
import type { ImitationRow, PreferenceOptions, PreferenceRow, Student } from '@emac/core';
import { numbers, preferenceLoss } from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProjectionKind } from './projection.ts';
import { randomFeatures, randomProjection, writeRandomModel } from './random-model.test.support.ts';
import { createStudent } from './student.ts';

const generation = { beams: 1, minLength: 1, maxLength: 12 };
const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));

const imitation: ImitationRow[] = [
  { features: randomFeatures('one'), text: 'abc >', target: ' go', weight: 0.5 },
  { features: randomFeatures('two'), text: 'a', target: ' be kind', weight: 0.2 },
  { features: randomFeatures('one'), text: 'abc > lo >', target: '', weight: 0.3 },
];

const preference: PreferenceRow[] = [
  {
    ...pair('one', 'abc >', [' go', ' fall in']),
    referenceChosen: -2.5,
    referenceRejected: -3,
    weight: 0.75,
  },
  {
    ...pair('two', 'ab > kiln 1 >', [' one', ' no']),
    referenceChosen: -4,
    referenceRejected: -2,
    weight: 0.25,
  },
];
const options = { beta: 0.8, mixRatio: 0.3 };

function pair(seed: string, text: string, [chosen, rejected]: [string, string]) {
  return { features: randomFeatures(seed), text, chosen, rejected };
}

/** Σ −weight · log p, from the graph that has no gradients. */
async function imitationLoss(student: Student): Promise<number> {
  const found = await student.logProbabilities(imitation);
  return found.reduce((loss, { sum }, index) => loss - imitation[index]!.weight * sum, 0);
}

/** Log-probabilities of both answers, each in a row of its own. */
async function judged(student: Student, averaged = true) {
  const of = async (name: 'chosen' | 'rejected') => {
    const targets = preference.map(({ features, text, [name]: target }) => ({ features, text, target }));
    return (await student.logProbabilities(targets)).map(({ sum, tokens }) =>
      averaged ? sum / tokens : sum,
    );
  };
  return { chosen: await of('chosen'), rejected: await of('rejected') };
}

/** Σ weight · loss in float64, from separate rows. */
async function lossOf(student: Student, of: PreferenceOptions): Promise<number> {
  const { chosen, rejected } = await judged(student, of.averageLogProbabilities);
  return preference.reduce((loss, { weight, referenceChosen, referenceRejected }, index) => {
    const policy = { policyChosen: chosen[index]!, policyRejected: rejected[index]! };
    return loss + weight * preferenceLoss(numbers, { ...policy, referenceChosen, referenceRejected }, of);
  }, 0);
}

/** Largest |gradient − central difference| over all parameters, relative to the largest difference. */
async function gradientError(
  student: Student,
  gradients: ReadonlyMap<string, Float32Array>,
  loss: () => Promise<number>,
): Promise<number> {
  const step = 2 ** -6;
  let [worst, largest] = [0, 0];
  for (const [name, { data }] of student.parameters())
    for (let index = 0; index < data.length; index++) {
      const value = data[index]!;
      const shifted: number[] = [];
      for (const shift of [step, -step]) {
        data[index] = value + shift;
        student.commit();
        shifted.push(await loss());
      }
      data[index] = value;
      const slope = (shifted[0]! - shifted[1]!) / (2 * step);
      largest = Math.max(largest, Math.abs(slope));
      worst = Math.max(worst, Math.abs(slope - gradients.get(name)![index]!));
    }
  student.commit();
  return worst / largest;
}

describe.each<ProjectionKind>(['linear', 'mlp'])(
  'gradients through the frozen language model (%s)',
  (kind) => {
    let student: Student;
    beforeAll(async () => {
      student = await createStudent({
        model: folder,
        projection: await randomProjection(kind),
        generation,
        threads: 1,
      });
    });
    afterAll(() => student.dispose());

    it('of imitation are those of the loss by finite differences', async () => {
      const { loss, gradients } = await student.imitationGradient(imitation);
      expect(loss).toBeCloseTo(await imitationLoss(student), 5);
      expect(loss).toBeGreaterThan(1);
      expect([...gradients.keys()]).toEqual([...student.parameters().keys()]);
      expect(await gradientError(student, gradients, () => imitationLoss(student))).toBeLessThan(3e-3);
    });

    it('of preferences are those of DPO with its mix term by finite differences', async () => {
      const { loss, gradients } = await student.preferenceGradient(preference, options);
      expect(loss).toBeCloseTo(await lossOf(student, options), 5);
      expect(await gradientError(student, gradients, () => lossOf(student, options))).toBeLessThan(3e-3);
    });
  },
);

describe('preferences', () => {
  let student: Student;
  beforeAll(async () => {
    student = await createStudent({
      model: folder,
      projection: await randomProjection(),
      generation,
      threads: 1,
    });
  });
  afterAll(() => student.dispose());

  it('give answers that share a prompt the log-probabilities of answers in rows of their own', async () => {
    const found = await student.preferenceGradient(preference, options);
    const expected = await judged(student);
    preference.forEach((_, index) => {
      expect(Math.abs(found.chosen[index]! - expected.chosen[index]!)).toBeLessThan(1e-5);
      expect(Math.abs(found.rejected[index]! - expected.rejected[index]!)).toBeLessThan(1e-5);
    });
  });

  it.each<Partial<PreferenceOptions>>([
    { loss: 'ipo' },
    { loss: 'hinge', beta: 0.1 },
    { labelSmoothing: 0.2 },
    { referenceFree: true },
    { averageLogProbabilities: false, beta: 0.2 },
  ])('have the loss and gradients of %j by finite differences', async (given) => {
    const of = { ...options, ...given };
    const { loss, chosen, gradients } = await student.preferenceGradient(preference, of);
    expect(Math.abs(loss - (await lossOf(student, of)))).toBeLessThan(2e-5);
    const expected = await judged(student, of.averageLogProbabilities);
    expect(Math.abs(chosen[1]! - expected.chosen[1]!)).toBeLessThan(1e-4);
    expect(await gradientError(student, gradients, () => lossOf(student, of))).toBeLessThan(3e-3);
  });

  it('of options that are none are refused', async () => {
    const refused = student.preferenceGradient(preference, { ...options, loss: 'ipo', labelSmoothing: 0.1 });
    await expect(refused).rejects.toMatchObject({ code: 'usage' });
  });

  it('have rewards of 0 to rounding when the policy itself judged them, without a gradient', async () => {
    const answers = preference.flatMap(({ features, text, chosen, rejected }) =>
      [chosen, rejected].map((target) => ({ features, text, target })),
    );
    const means = (await student.logProbabilities(answers)).map(({ sum, tokens }) => sum / tokens);
    const judged = preference.map((row, index) => ({
      ...row,
      referenceChosen: means[2 * index]!,
      referenceRejected: means[2 * index + 1]!,
    }));
    const { loss, chosen, rejected } = await student.preferenceGradient(judged, options);
    judged.forEach(({ referenceChosen, referenceRejected }, index) => {
      expect(Math.abs(chosen[index]! - referenceChosen)).toBeLessThan(1e-5);
      expect(Math.abs(rejected[index]! - referenceRejected)).toBeLessThan(1e-5);
    });
    // then DPO is ln 2, and the mix term −0.3 · log π(chosen) comes on top; the weights sum to 1
    const mixed = 0.75 * chosen[0]! + 0.25 * chosen[1]!;
    expect(loss).toBeCloseTo(Math.LN2 - 0.3 * mixed, 5);
  });
});
