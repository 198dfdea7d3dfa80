import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decayStepOf, learningRateAt, type ScheduleSettings } from './schedule.ts';

const settings: ScheduleSettings = {
  schedule: 'round-cosine',
  learningRate: 1e-5,
  warmup: 300,
  warmupStart: 1e-8,
  minimum: 0,
  rounds: 12,
};

const at = (microStep: number, round = 0) => ({
  round,
  microStep,
  decayStep: microStep,
  plannedMicroSteps: 1300,
});

describe('learningRateAt', () => {
  it('warms up in round 0 and then follows a cosine of the round', () => {
    expect(learningRateAt(settings, at(0))).toBe(1e-8);
    // 1e-8 + 9.99e-6 · 150/300
    expect(learningRateAt(settings, at(150))).toBeCloseTo(5.005e-6, 12);
    expect(learningRateAt(settings, at(5000))).toBe(1e-5);
    // cos(π·3/12) = √½: 0.5e-5 · 1.7071068; cos(π·6/12) = 0
    expect(learningRateAt(settings, at(0, 3))).toBeCloseTo(8.535534e-6, 11);
    expect(learningRateAt(settings, at(77, 6))).toBeCloseTo(5e-6, 12);
  });

  it('decays linearly to the minimum at the last planned micro-step', () => {
    const linear = { ...settings, schedule: 'linear', minimum: 1e-6 } as const;
    expect(learningRateAt(linear, at(300))).toBe(1e-5);
    // halfway between 300 and 1300: (1e-5 + 1e-6) / 2
    expect(learningRateAt(linear, at(800))).toBeCloseTo(5.5e-6, 12);
    expect(learningRateAt(linear, at(1300))).toBeCloseTo(1e-6, 12);
    expect(learningRateAt(linear, at(9999))).toBeCloseTo(1e-6, 12);
  });

  it('gives every round an equal share of the decay, however few games it plays', () => {
    const decays = { ...settings, schedule: 'linear', warmup: 0, learningRate: 0.6, rounds: 2 } as const;
    const rate = (round: number, before: number, inRound: number) =>
      learningRateAt(decays, {
        round,
        microStep: 99,
        decayStep: decayStepOf({ round, before, inRound, inFullRound: 6 }),
        plannedMicroSteps: 12,
      });
    // a full round has 6 micro-steps of 1/12 of the decay each
    expect(rate(0, 0, 6)).toBeCloseTo(0.6, 12);
    expect(rate(0, 5, 6)).toBeCloseTo(0.6 * (1 - 5 / 12), 12);
    // a round of 2 micro-steps takes the same half: 3/12 each; both end 1/12 before the minimum
    expect(rate(1, 0, 2)).toBeCloseTo(0.6 * (1 - 8 / 12), 12);
    expect(rate(1, 1, 2)).toBeCloseTo(0.6 * (1 - 11 / 12), 12);
    expect(rate(1, 5, 6)).toBeCloseTo(0.6 * (1 - 11 / 12), 12);
  });

  it('starts at full rate without warm-up', () => {
    expect(learningRateAt({ ...settings, schedule: 'constant', warmup: 0 }, at(0))).toBe(1e-5);
    expect(learningRateAt({ ...settings, schedule: 'constant' }, at(30))).toBeCloseTo(1.009e-6, 12);
  });
});

describe.skipIf(!process.env['EMAC_TEST_DATA'])('published learning rates (needs EMAC_TEST_DATA)', () => {
  it.each(['train_rows_bc.csv', 'train_rows_dpo.csv'])('are reproduced row by row: %s', (name) => {
    const text = readFileSync(path.join(process.env['EMAC_TEST_DATA']!, 'derived', name), 'utf8');
    const rows = text.trim().split('\n').slice(1);
    expect(rows).toHaveLength(120);
    for (const row of rows) {
      const [round, iteration, printed] = row.split(',');
      const position = at(Number(iteration), Number(round));
      expect(learningRateAt({ ...settings, rounds: 2 }, position).toFixed(6), row).toBe(printed);
    }
  });
});
