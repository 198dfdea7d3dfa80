/** The critic's optimizer, and its independence from the policy's. */
import { Random, type ParameterGroup } from '@emac/core';
import type { OptimizerState } from '@emac/optim';
import { arrayTexts } from '@emac/rollout';
import { createSmallNetwork, mlp } from '@emac/small-networks';
import { corridor } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ppo } from '../ppo.ts';
import type { PpoLine } from './ppo-run.ts';
import type { PpoOptimizationSettings, PpoSettings } from './ppo-settings.ts';
import { ppoPreset } from './presets.ts';

const standard = ppoPreset('tiny').settings;
const cells = mlp({ inputs: [{ array: 'cell', encode: 'one-hot', size: 1, categories: [5] }], hidden: [8] });
const numbers = (groups: readonly ParameterGroup[]) =>
  groups.flatMap(({ parameters }) => [...parameters.values()].map(({ data }) => [...data]));

const firstOf = ({ tensors }: OptimizerState) =>
  [...tensors].filter(([name]) => name.endsWith('.first_moment')).flatMap(([, { data }]) => [...data]);

interface Moment {
  readonly parameters: { readonly policy: number[][]; readonly value: number[][] };
  readonly steps: { readonly policy: number; readonly value: number };
  /** of the policy, first and second */
  readonly moments: readonly number[];
  readonly firstMoments: { readonly policy: readonly number[]; readonly value: readonly number[] };
}

/** Four updates of 32 steps, two minibatches each in one pass; the state before the first and after each. */
async function moments(
  optimization: Partial<PpoOptimizationSettings>,
  losses: Partial<PpoSettings['losses']> = {},
): Promise<{ readonly moments: Moment[]; readonly lines: PpoLine[] }> {
  const network = await createSmallNetwork({
    architecture: cells,
    actions: ['left', 'right'],
    start: Random.fromSeed(1),
  });
  onTestFinished(() => network.dispose());
  const [found, lines]: [Moment[], PpoLine[]] = [[], []];
  await ppo({
    settings: {
      ...standard,
      play: { environmentSteps: 128, stepsPerUpdate: 8, temperature: 1 },
      losses: { ...standard.losses, ...losses },
      optimization: {
        ...standard.optimization,
        passes: 1,
        minibatchSize: 16,
        learningRate: 0.01,
        ...optimization,
      },
    },
    actorCritic: network,
    environments: Array.from({ length: 4 }, () => corridor({ slip: 0.1 })),
    texts: arrayTexts,
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    checkpoint: ({ optimizer: { policy, value } }) => {
      const { groups } = network;
      found.push({
        parameters: { policy: numbers(groups.policy), value: numbers(groups.value) },
        steps: { policy: policy.step, value: value.step },
        moments: [...policy.tensors.values()].flatMap(({ data }) => [...data]),
        firstMoments: { policy: firstOf(policy), value: firstOf(value) },
      });
    },
  });
  return { moments: found, lines };
}

describe('while only the critic learns', () => {
  const own = { valueInitSteps: 2, valueSchedule: 'constant', finalShare: 0.5 } as const;

  it('the policy, its moments and its schedule stay unchanged', async () => {
    const { moments: found, lines } = await moments(own);
    const [before] = found;
    for (const { parameters, moments } of found.slice(0, 3)) {
      expect(parameters.policy).toEqual(before!.parameters.policy);
      expect(moments.every((moment) => moment === 0)).toBe(true);
    }
    expect(found.map(({ steps }) => [steps.policy, steps.value])).toEqual([
      [0, 0],
      [0, 2],
      [0, 4],
      [2, 6],
      [4, 8],
    ]);
    expect(found[2]!.parameters.value).not.toEqual(before!.parameters.value);
    expect(found[3]!.parameters.policy).not.toEqual(before!.parameters.policy);
    // linear over its two updates: 0.01 · (1 − ½ · done / 2)
    expect(lines.map(({ lr }) => lr)).toEqual([0.01, 0.01, 0.01, 0.0075]);
    expect(lines.map(({ value_lr: rate }) => rate)).toEqual(Array(4).fill(0.01));
  });

  it('fall together if the critic has no schedule, without extra metrics', async () => {
    const { lines } = await moments({ ...own, valueSchedule: null });
    expect(lines.map(({ lr }) => lr)).toEqual([0.01, 0.00875, 0.0075, 0.00625]);
    expect(Object.keys(lines[0]!)).not.toContain('value_lr');
    expect(Object.keys(lines[0]!)).not.toContain('value_gradient_norm');
  });
});

describe('a separate gradient norm', () => {
  // the first update has the advantages of values that nothing has moved yet
  const first = async (optimization: Partial<PpoOptimizationSettings>, valueCoefficient: number) =>
    (await moments(optimization, { valueCoefficient })).moments[1]!.parameters.policy;

  it("leaves the policy's step independent of the critic, unlike a joint norm", async () => {
    const apart = { clipNorm: 0.01, valueClipNorm: 0.01 };
    expect(await first(apart, 50)).toEqual(await first(apart, 0.5));
    const joint = { clipNorm: 0.01, valueClipNorm: null };
    expect(await first(joint, 50)).not.toEqual(await first(joint, 0.5));
  });

  it("is reported beside the policy's, both before clipping", async () => {
    const free = (await moments({ clipNorm: null })).lines[0]!;
    const apart = (await moments({ clipNorm: null, valueClipNorm: 1e6 })).lines[0]!;
    const [policy, value] = [apart['gradient_norm'] as number, apart['value_gradient_norm'] as number];
    expect(policy).toBeGreaterThan(0);
    expect(value).toBeGreaterThan(0);
    // means over two minibatches: no more than the joint one's, and no less than either
    expect(free['gradient_norm'] as number).toBeLessThanOrEqual(policy + value);
    expect(free['gradient_norm'] as number).toBeGreaterThanOrEqual(value);
  });

  it('shortens each to its own limit', async () => {
    const once = { minibatchSize: 32, clipNorm: 1e-3, valueClipNorm: 1e-4 };
    const { moments: found, lines } = await moments(once);
    expect(lines[0]!['gradient_norm'] as number).toBeGreaterThan(1e-3);
    expect(lines[0]!['value_gradient_norm'] as number).toBeGreaterThan(1e-4);
    // after one step the first moments are (1 − 0.9) of the clipped gradient
    const { policy, value } = found[1]!.firstMoments;
    expect(Math.hypot(...policy) / 0.1).toBeCloseTo(1e-3, 8);
    expect(Math.hypot(...value) / 0.1).toBeCloseTo(1e-4, 8);
  });
});
