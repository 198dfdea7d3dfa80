import { describe, expect, it } from 'vitest';
import { ppoConfig } from './given-config.ts';

describe('a configuration of PPO', () => {
  it.each([
    ['gym_cards/NumberLine-v0', 8192],
    ['gym_cards/EZPoints-v0', 24_576],
    ['gym_cards/Blackjack-v0', 16_384],
    ['gym_cards/Points24-v0', 49_152],
    ['MiniGrid-DoorKey-6x6-v0', 65_536],
    ['MiniGrid-Empty-5x5-v0', 50_000],
  ])('has steps for a small model in %s, unless they are given', (env, steps) => {
    expect(ppoConfig({ env })).toMatchObject({ policy: 'rl-tiny', play: { environmentSteps: steps } });
    const given = ppoConfig({ env, play: { environmentSteps: 7 } });
    expect(given.play).toMatchObject({ environmentSteps: 7, environments: 32, stepsPerUpdate: 16 });
  });

  it('counts its length in steps of the environments if updates are given', () => {
    const play = { updates: 3, stepsPerUpdate: 5, environments: 2 };
    const { play: counted } = ppoConfig({ env: 'gym_cards/NumberLine', play });
    // 3 updates of 5 steps in 2 environments
    expect(counted.environmentSteps).toBe(30);
    expect(counted).not.toHaveProperty('updates');
  });

  it('has other steps for a small network, and for a published preset', () => {
    const env = 'gym_cards/NumberLine';
    expect(ppoConfig({ env, policy: 'mlp' }).play.environmentSteps).toBe(20_000);
    expect(ppoConfig({ env, preset: 'nl' })).toMatchObject({
      play: { environmentSteps: 15_000 },
      value: { hiddenWidths: [1024, 512], learningRateScale: 1 },
      speech: { maxLength: 256 },
    });
  });

  it('names the environments that are near a mistyped one', () => {
    expect(() => ppoConfig({ env: 'gym_cards/NumberLin' })).toThrow(
      'gym_cards/NumberLin: is not an environment; similar ones are gym_cards/NumberLine-v0',
    );
  });
});
