/** The adapter that a published preset draws, in a model of the fixtures. */
import { Random } from '@emac/core';
import { openPpoPolicy, plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { expect, it, onTestFinished } from 'vitest';
import { ppoConfig } from './given-config.ts';
import { small } from './language-steps.test.support.ts';

async function adapterOf(given: Partial<GivenPpoConfig>) {
  const { env, policy, speech, value } = small;
  const config = ppoConfig({ env, policy: policy!, speech: speech!, value: value!, ...given });
  const opened = await openPpoPolicy(config, { random: Random.fromSeed(0), from: null }, plainHost());
  onTestFinished(() => opened.dispose());
  const matrices = opened.actorCritic.groups.policy.flatMap(({ parameters }) => [...parameters]);
  const adapted = matrices.filter(([name]) => name.includes('lora_A'));
  return {
    ranks: new Set(adapted.map(([, { shape }]) => shape[0])),
    targets: new Set(adapted.map(([name]) => /\w+_proj/.exec(name)![0])),
  };
}

it('has rank 128 on all linear layers for card games, below attention for MiniGrid, 32 for robots; given settings win', async () => {
  const attention = ['q_proj', 'k_proj', 'v_proj'];
  const all = new Set([...attention, 'o_proj', 'gate_proj', 'up_proj', 'down_proj']);
  expect(await adapterOf({ preset: 'ezp' })).toEqual({ ranks: new Set([128]), targets: all });
  expect(await adapterOf({ preset: 'minigrid', trained: { rank: 3 } })).toEqual({
    ranks: new Set([3]),
    targets: new Set(attention),
  });
  expect(await adapterOf({ preset: 'vlarl', curriculum: { formula: null } })).toEqual({
    ranks: new Set([32]),
    targets: all,
  });
  expect(await adapterOf({})).toEqual({ ranks: new Set([8]), targets: all });
});
