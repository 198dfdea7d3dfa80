import { presetSettings } from '@emac/algorithms';
import { describe, expect, it } from 'vitest';
import { merged } from './merged.ts';
import { trainConfig } from './train-config.ts';

describe('trainConfig', () => {
  it("is the phase's preset by default", () => {
    const { play, optimization, speech } = trainConfig({ phase: 'dpo' });
    const tiny = presetSettings('tiny', 'dpo');
    expect(play).toMatchObject({ ...tiny.play, admissibleOnly: null });
    expect(optimization).toEqual({
      ...tiny.optimization,
      optimizer: 'adamw',
      gradientShards: 1,
      updates: null,
    });
    const own = { beams: null, minLength: null, maxLength: null, maxPromptTokens: null, observe: null };
    expect(speech).toEqual(own);
    // the published code generates five tokens at least
    expect(trainConfig({ phase: 'bc', preset: 'published-code' }).speech.minLength).toBe(5);
  });

  it('prefers given settings to the preset, one by one', () => {
    const given = { optimization: { learningRate: 0.5 }, play: { rounds: 7, expertShare: { start: 1 } } };
    const { optimization, play, samples } = trainConfig({ phase: 'bc', ...given });
    expect(optimization).toEqual({
      ...presetSettings('tiny', 'bc').optimization,
      learningRate: 0.5,
      optimizer: 'adamw',
      gradientShards: 1,
      updates: null,
    });
    const { expertShare, gamesPerRound } = presetSettings('tiny', 'bc').play;
    expect(play).toMatchObject({ rounds: 7, gamesPerRound, expertShare: { ...expertShare, start: 1 } });
    expect(samples.selection).toEqual({ keep: 'distinct' });
    const departure = { selection: { keep: 'departure', after: 2 } } as const;
    expect(trainConfig({ phase: 'bc', samples: departure }).samples.selection).toEqual(departure.selection);
    // how many checkpoints stay has the name of a selection's kind, and chooses nothing
    expect(trainConfig({ phase: 'bc', keep: 3 })).toEqual({ ...trainConfig({ phase: 'bc' }), keep: 3 });
  });

  it('has the rounds that a number of updates takes, unless they are given', () => {
    const roundsOf = (rounds?: number) => {
      const play = { gamesPerRound: 3, ...(rounds !== undefined && { rounds }) };
      return trainConfig({ phase: 'bc', play, optimization: { updates: 100, updatesPerEpisode: 4 } }).play
        .rounds;
    };
    // 3 games × 4 updates a round: 100 / 12 is above 8
    expect([roundsOf(), roundsOf(2)]).toEqual([9, 2]);
  });

  it('has few games and many updates for a small network that a person teaches, who acts first', () => {
    const given = { phase: 'bc', env: 'MiniGrid-Empty-5x5-v0', policy: 'mlp' } as const;
    const { play, optimization } = trainConfig({ ...given, expert: { kind: 'human' } });
    expect(play).toMatchObject({ rounds: 2, gamesPerRound: 5, expertShare: { start: 1, decay: 0 } });
    expect(optimization).toMatchObject({ updatesPerEpisode: 16, batchSize: 16, learningRate: 1e-2 });
    expect(trainConfig(given).play).toMatchObject({ rounds: 8, gamesPerRound: 64 });
  });

  it('has more games, and pairs also where both agree, where a person corrects a small network for dpo', () => {
    const given = { phase: 'dpo', env: 'MiniGrid-Empty-5x5-v0', policy: 'mlp' } as const;
    const { play, samples } = trainConfig({ ...given, expert: { kind: 'human' } });
    expect(play).toMatchObject({ rounds: 2, gamesPerRound: 20, expertShare: { start: 0, decay: 1 } });
    expect([samples.agreed, trainConfig(given).samples.agreed]).toEqual(['random', 'drop']);
  });

  it("takes a dataset's updates by their earlier name", () => {
    const earlier = { phase: 'bc' as const, dataset: { data: 'a.json', maxUpdates: 7 } };
    expect(trainConfig(earlier).optimization.updates).toBe(7);
    expect(trainConfig({ ...earlier, optimization: { updates: 5 } }).optimization.updates).toBe(5);
  });

  it('leaves to the policy whether it is kept to admissible commands', () => {
    expect(trainConfig({ phase: 'dpo' }).play.admissibleOnly).toBe(null);
    expect(trainConfig({ phase: 'dpo', play: { admissibleOnly: false } }).play.admissibleOnly).toBe(false);
  });

  it('evaluates in games around training on a dataset only if asked', () => {
    const dataset = { data: 'train.json' };
    expect(trainConfig({ phase: 'bc' }).evaluation.episodes).toBe(100);
    expect(trainConfig({ phase: 'bc', dataset }).evaluation.episodes).toBe(0);
    expect(trainConfig({ phase: 'bc', dataset, evaluation: { episodes: 3 } }).evaluation.episodes).toBe(3);
  });

  it('takes the small model of JSON answers and the own limit of steps in other environments', () => {
    const { policy, play } = trainConfig({ phase: 'bc', env: 'gym_cards/NumberLine-v0' });
    expect([policy, play.maxSteps, play.stopRepeating]).toEqual(['rl-tiny', null, false]);
    const own = trainConfig({ phase: 'bc', env: 'gym_cards/NumberLine-v0', play: { maxSteps: 7 } });
    expect(own.play.maxSteps).toBe(7);
  });

  it('names every invalid setting at once', () => {
    const wrong = { optimization: { learningRate: -1 }, play: { rounds: 1.5 }, sed: 3 };
    const refused = () => trainConfig({ phase: 'bc', ...wrong } as never);
    expect(refused).toThrow(expect.objectContaining({ code: 'config' }));
    for (const name of ['optimization.learningRate', 'play.rounds', 'sed']) expect(refused).toThrow(name);
  });
});

describe('merged', () => {
  it('takes lists and the values of a choice whole', () => {
    const base = {
      betas: [0.9, 0.999],
      selection: { keep: 'departure', after: 3 },
      deep: { one: 1, two: 2 },
    };
    expect(merged(base, { betas: [0.5, 0.5], selection: { keep: 'all' }, deep: { two: 3 } })).toEqual({
      betas: [0.5, 0.5],
      selection: { keep: 'all' },
      deep: { one: 1, two: 3 },
    });
  });
});
