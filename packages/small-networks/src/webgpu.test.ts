/** Small networks on WebGPU beside the CPU, if there is a GPU, or SwiftShader (`VK_DRIVER_FILES`). */
import { Random, type Prompt } from '@emac/core';
import { providerIsAvailable, type Provider } from '@emac/graph';
import { clippedPolicyLoss, valueLossOf } from '@emac/losses';
import { describe, expect, it } from 'vitest';
import { cnn, mlp, type Architecture } from './architecture.ts';
import { createSmallNetwork } from './small-network.ts';

const actions = ['left', 'right', 'wait'];
const wave = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => Math.sin(i));
const seen = (shape: readonly number[]): Prompt => [
  { kind: 'array', name: 'seen', values: { shape, data: wave(shape.reduce((a, b) => a * b)) } },
];

/** The values of acting, and what a step of learning gives, by name. */
async function everything(
  architecture: Architecture,
  prompt: Prompt,
  provider: Provider,
): Promise<Map<string, readonly number[]>> {
  const network = await createSmallNetwork(
    { architecture, actions, start: Random.fromSeed(3) },
    { thread: 'main', threads: 1, provider },
  );
  const greedy = { kind: 'search', beams: 1 } as const;
  const { values } = await network.act([{ prompt, allowed: null, random: null }], greedy);
  const constants = { advantage: 0.7, sampledLogProbability: -1.2, return: 0.3, sampledValue: 0.1 };
  const learned = await network.gradient(
    [{ prompt, answers: ['wait'], weight: 1, valueWeight: 0.5, constants }],
    {
      policy: clippedPolicyLoss({ credit: 'token', clip: { low: 0.2, high: 0.2 }, entropyCoefficient: 0.01 }),
      value: valueLossOf({ clip: 0.3 }),
    },
  );
  await network.dispose();
  const { gradients, policyLoss, valueLoss } = learned;
  return new Map([
    ['values', [...values]],
    ['losses', [policyLoss, valueLoss]],
    ...[...gradients].map(([name, data]) => [name, [...data]] as const),
  ]);
}

describe.skipIf(!(await providerIsAvailable('webgpu')))('on WebGPU a network', () => {
  it.each([
    ['over arrays', mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 6 }], hidden: [5] }), seen([6])],
    ['over pictures', cnn({ array: 'seen', height: 16, width: 16 }), seen([3, 16, 16])],
  ])('%s acts and learns as on the CPU', async (_, architecture, prompt) => {
    const there = await everything(architecture, prompt, 'webgpu');
    for (const [name, numbers] of await everything(architecture, prompt, 'cpu')) {
      const off = numbers.map((number, place) => Math.abs(number - there.get(name)![place]!));
      // sums in another order
      expect(Math.max(...off), name).toBeLessThan(1e-4 * Math.max(...numbers.map(Math.abs)) + 1e-8);
    }
  });
});
