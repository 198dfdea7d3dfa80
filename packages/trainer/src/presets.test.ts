import { describe, expect, it } from 'vitest';
import { presetNames, presetSettings } from './presets.ts';

describe('presetSettings', () => {
  it('has the batches of the sources: paper 128 and 16, code 8 × 4 and 4 × 4', () => {
    const batch = (name: (typeof presetNames)[number], phase: 'bc' | 'dpo') => {
      const { batchSize, accumulate } = presetSettings(name, phase);
      return batchSize * accumulate;
    };
    expect([batch('paper', 'bc'), batch('paper', 'dpo')]).toEqual([128, 16]);
    expect([batch('published-code', 'bc'), batch('published-code', 'dpo')]).toEqual([32, 16]);
  });

  it('has the public small run: 2 rounds of 3 games, 50 steps, 20 micro-steps after each', () => {
    const settings = presetSettings('small-scale', 'dpo');
    expect(settings).toMatchObject({
      rounds: 2,
      gamesPerRound: 3,
      maxSteps: 50,
      learningRate: 1e-5,
      warmup: 300,
    });
    expect(settings.updatesPerEpisode * settings.accumulate).toBe(20);
  });

  it('agrees everywhere on what all sources agree on', () => {
    for (const name of presetNames)
      for (const phase of ['bc', 'dpo'] as const)
        expect(presetSettings(name, phase)).toMatchObject({
          beta: 0.1,
          betas: [0.9, 0.999],
          weightDecay: 0.05,
        });
  });
});
