import { expect, it } from 'vitest';
import { ppoPreset } from './presets.ts';
import { updateRates } from './update-rates.ts';

const optimization = {
  learningRate: 0.08,
  schedule: 'linear',
  finalShare: 0.5,
  decayUpdates: null,
  valueSchedule: null,
  valueInitSteps: 2,
} as const;
const ratesOf = (changes: Partial<Parameters<typeof updateRates>[0]>) =>
  [0, 1, 2, 3, 4, 5].map((update) => updateRates({ ...optimization, ...changes }, update, 6));
const rounded = (rates: readonly number[]) => rates.map((rate) => Number(rate.toPrecision(12)));

it('falls jointly over all updates of the run, critic warm-up included', () => {
  const rates = ratesOf({});
  // 0.08 · (1 − ½ · update / 6)
  expect(rounded(rates.map(({ policy }) => policy))).toEqual([
    0.08, 0.0733333333333, 0.0666666666667, 0.06, 0.0533333333333, 0.0466666666667,
  ]);
  expect(rates.map(({ value }) => value)).toEqual(rates.map(({ policy }) => policy));
});

it('falls separately, over the updates in which each learns', () => {
  const rates = ratesOf({ valueSchedule: 'constant' });
  // the policy's four updates: 0.08 · (1 − ½ · (update − 2) / 4)
  expect(rounded(rates.map(({ policy }) => policy))).toEqual([0.08, 0.08, 0.08, 0.07, 0.06, 0.05]);
  expect(rates.map(({ value }) => value)).toEqual(Array(6).fill(0.08));
  const cosine = ratesOf({ schedule: 'constant', valueSchedule: 'cosine', decayUpdates: 2 });
  expect(cosine.map(({ policy }) => policy)).toEqual(Array(6).fill(0.08));
  // 0.08 · (½ + ½ · (1 + cos(π · update / 2)) / 2), then it stays
  expect(rounded(cosine.map(({ value }) => value))).toEqual([0.08, 0.06, 0.04, 0.04, 0.04, 0.04]);
});

it('has a rate for a policy that never learns', () => {
  expect(ratesOf({ valueSchedule: 'constant', valueInitSteps: 9 }).map(({ policy }) => policy)).toEqual(
    Array(6).fill(0.08),
  );
});

it("of VLA-RL stays at the policy's first until it learns: only the critic's schedule moves before", () => {
  const { optimization: published } = ppoPreset('vlarl', 'model').settings;
  const six = [0, 1, 2, 3, 4, 5];
  const constant = six.map((update) => updateRates(published, update, 6));
  expect(constant).toEqual(Array(6).fill({ policy: 8e-6, value: 8e-6 }));
  const falling = { ...published, schedule: 'linear', finalShare: 0.25 } as const;
  // after three critic-only updates, three of the policy: 8e-6 · (1 − ¾ · (update − 3) / 3)
  expect(rounded(six.map((update) => updateRates(falling, update, 6).policy))).toEqual([
    8e-6, 8e-6, 8e-6, 8e-6, 6e-6, 4e-6,
  ]);
});
