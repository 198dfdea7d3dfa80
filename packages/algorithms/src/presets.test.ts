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

  // EMAC+ Table 9: 12 trials, episode length 30, 5 epochs per trial, lr 5e-6, warm-up 300, β 0.1 (imitation); lr 1e-5,
  // warm-up 1000 (the policy to start from); text: linear decay to 0; Eq. 2: no further term
  it.each([
    ['bc', { learningRate: 1e-5, warmup: 1000 }],
    ['dpo', { learningRate: 5e-6, warmup: 300 }],
  ] as const)('has the numbers of the paper (%s)', (phase, rates) => {
    expect(presetSettings('paper', phase)).toMatchObject({
      ...rates,
      ...{ rounds: 12, gamesPerRound: 134, maxSteps: 30, updatesPerEpisode: 5, beta: 0.1, mixRatio: 0 },
      ...{ schedule: 'linear', minimum: 0, weightDecay: 0.05, loss: 'sigmoid', lossScaling: null },
    });
  });

  // dagger_server.py: num_rounds 12, num_envs 134, init_lr 1e-5, warmup_lr 1e-8, warmup_steps 300, min_lr 0, weight_decay
  // 0.05, train_iters_per_epoch 5, accum_grad_steps 4, batch_size 8 (4 with enable_dpo), GradScaler, no clipping; training
  // after failures; mix_ratio 0.5 and avg_log_probs in the model's configuration; sampling by randint
  it.each([
    ['bc', 8],
    ['dpo', 4],
  ] as const)('has the numbers of the published code (%s)', (phase, batchSize) => {
    expect(presetSettings('published-code', phase)).toMatchObject({
      ...{ batchSize, accumulate: 4, rounds: 12, gamesPerRound: 134, updatesPerEpisode: 5 },
      ...{ schedule: 'round-cosine', learningRate: 1e-5, warmupStart: 1e-8, warmup: 300, minimum: 0 },
      ...{ weightDecay: 0.05, clipNorm: null, lossScaling: { start: 65536, interval: 2000 } },
      ...{ mixRatio: 0.5, averageLogProbabilities: true, referenceFree: false, replacement: true },
      ...{ trainAfter: 'failed-episodes', agreed: 'keep', trainOnUnusable: true, actWith: 'student' },
    });
  });

  // the public run: 2 rounds of 3 games, 50 steps, 20 micro-steps (5 updates) after each, batch 8 and 1
  it.each([
    ['bc', 8],
    ['dpo', 1],
  ] as const)('has the public small run (%s)', (phase, batchSize) => {
    expect(presetSettings('small-scale', phase)).toMatchObject({
      ...{ rounds: 2, gamesPerRound: 3, maxSteps: 50, batchSize, accumulate: 4, updatesPerEpisode: 5 },
      ...{ learningRate: 1e-5, warmup: 300, schedule: 'round-cosine' },
    });
  });

  it('has for the shipped model what trials found: rates that fall to 0, no warm-up, a clipped gradient', () => {
    expect(presetSettings('tiny', 'bc')).toMatchObject({
      ...{ rounds: 2, gamesPerRound: 3, maxSteps: 50, batchSize: 8, accumulate: 1, updatesPerEpisode: 5 },
      ...{ learningRate: 1e-3, warmup: 0, schedule: 'linear', minimum: 0, clipNorm: 1, lossScaling: null },
      ...{ selection: { keep: 'distinct' }, agreed: 'random' },
    });
    expect(presetSettings('tiny', 'dpo')).toEqual({ ...presetSettings('tiny', 'bc'), learningRate: 3e-4 });
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
