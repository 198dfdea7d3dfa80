import { describe, expect, it } from 'vitest';
import { checkSettings } from './label-settings.ts';
import { phases } from './methods/list.ts';
import { presetNames, presetSettings } from './presets.ts';

describe('presetSettings', () => {
  it('has the batches of the sources: paper 128 and 16, code 8 × 4 and 4 × 4', () => {
    const batch = (name: (typeof presetNames)[number], phase: 'bc' | 'dpo') => {
      const { batchSize, accumulate } = presetSettings(name, phase).optimization;
      return batchSize * accumulate;
    };
    expect([batch('paper', 'bc'), batch('paper', 'dpo')]).toEqual([128, 16]);
    expect([batch('published-code', 'bc'), batch('published-code', 'dpo')]).toEqual([32, 16]);
  });

  // EMAC+ Table 9: 12 trials, episode length 30, 5 epochs per trial, lr 5e-6, warm-up 300, β 0.1 (imitation); lr 1e-5,
  // warm-up 1000 (initial policy); text: linear decay to 0; Eq. 2: no further term
  it.each([
    ['bc', { learningRate: 1e-5, warmup: 1000 }],
    ['dpo', { learningRate: 5e-6, warmup: 300 }],
  ] as const)('has the numbers of the paper (%s)', (phase, rates) => {
    expect(presetSettings('paper', phase)).toMatchObject({
      play: { rounds: 12, gamesPerRound: 134, maxSteps: 30 },
      optimization: {
        ...rates,
        updatesPerEpisode: 5,
        schedule: 'linear',
        minimum: 0,
        weightDecay: 0.05,
        lossScaling: null,
      },
      preference: { loss: 'sigmoid', beta: 0.1, mixRatio: 0 },
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
      play: { rounds: 12, gamesPerRound: 134, episodesPerUpdate: 1, expertShare: { start: 0, decay: 1 } },
      samples: { trainAfter: 'failed-episodes', agreed: 'keep', trainOnUnusable: true },
      optimization: {
        batchSize,
        accumulate: 4,
        updatesPerEpisode: 5,
        schedule: 'round-cosine',
        learningRate: 1e-5,
        warmupStart: 1e-8,
        warmup: 300,
        minimum: 0,
        weightDecay: 0.05,
        clipNorm: null,
        lossScaling: { start: 65536, interval: 2000 },
        replacement: true,
      },
      preference: { mixRatio: 0.5, averageLogProbabilities: true, referenceFree: false },
    });
  });

  // the public run: 2 rounds of 3 games, 50 steps, 20 micro-steps (5 updates) after each, batch 8 and 1
  it.each([
    ['bc', 8],
    ['dpo', 1],
  ] as const)('has the public small run (%s)', (phase, batchSize) => {
    expect(presetSettings('small-scale', phase)).toMatchObject({
      play: { rounds: 2, gamesPerRound: 3, maxSteps: 50 },
      optimization: {
        batchSize,
        accumulate: 4,
        updatesPerEpisode: 5,
        learningRate: 1e-5,
        warmup: 300,
        schedule: 'round-cosine',
      },
    });
  });

  it('has rates falling to 0 for the shipped model, no warm-up, a clipped gradient', () => {
    for (const phase of ['bc', 'dpo'] as const)
      expect(presetSettings('tiny', phase)).toMatchObject({
        samples: { selection: { keep: 'distinct' }, agreed: 'drop' },
        optimization: { warmup: 0, schedule: 'linear', minimum: 0, clipNorm: 1, lossScaling: null },
      });
  });

  it('lets the expert play for the shipped model, and takes smaller steps on pairs than on labels', () => {
    const [labels, pairs] = [presetSettings('tiny', 'bc'), presetSettings('tiny', 'dpo')];
    for (const { play, samples } of [labels, pairs]) {
      expect(play).toMatchObject({ rounds: 1, expertShare: { start: 1, decay: 1 } });
      expect(samples.trainAfter).toBe('every-episode');
    }
    expect(pairs.optimization.learningRate).toBeLessThan(labels.optimization.learningRate);
  });

  it('agrees with all sources wherever these agree', () => {
    for (const name of presetNames)
      for (const phase of ['bc', 'dpo'] as const)
        expect(presetSettings(name, phase)).toMatchObject({
          optimization: { betas: [0.9, 0.999], weightDecay: 0.05 },
          preference: { beta: 0.1 },
        });
  });
});

describe('checkSettings', () => {
  const settings = presetSettings('tiny', 'dpo');
  const { optimization, preference } = settings;

  it('has nothing against any preset', () => {
    for (const name of presetNames) for (const phase of phases) checkSettings(presetSettings(name, phase));
  });

  it.each([
    [{ ...settings, optimization: { ...optimization, minimum: 0.1 } }, 'minimum 0.1'],
    [{ ...settings, preference: { ...preference, beta: 0 } }, 'beta'],
  ])('refuses numbers out of range %#', (wrong, words) => {
    expect(() => checkSettings(wrong)).toThrow(words);
    expect(() => checkSettings(wrong)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
