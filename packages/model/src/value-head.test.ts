import { EmacError, Random, type ParameterSet } from '@emac/core';
import { openSafetensors, readFloat32 } from '@emac/files';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { relativeDifference } from './random-model.test.support.ts';
import { createValueHead, valueHeadShapes } from './value-head.ts';

const fixture = openSafetensors(
  fileURLToPath(new URL('../fixtures/value-head.safetensors', import.meta.url)),
);

/** A case's tensors under a name prefix, by the rest of their names. */
function tensors(prefix: string): ParameterSet {
  const names = [...fixture.tensors.keys()].filter((name) => name.startsWith(prefix)).sort();
  return new Map(
    names.map((name) => {
      const { shape } = fixture.tensors.get(name)!;
      return [name.slice(prefix.length), { shape, data: readFloat32(fixture, name) }];
    }),
  );
}

describe('a value head', () => {
  it.each([
    ['deep', { hiddenWidths: [16, 8] }],
    ['without bias', { hiddenWidths: [16, 8], bias: false }],
    ['single', { hiddenWidths: [] }],
  ] as const)("has PyTorch's values and gradients: %s", async (name, shape) => {
    const parameters = tensors(`${name}/parameter.`);
    const head = await createValueHead({ inputWidth: 24, ...shape, parameters }, { threads: 1 });
    const { states, slopes, values } = Object.fromEntries(tensors(`${name}/`));
    expect(relativeDifference(await head.forward(states!.data), values!.data)).toBeLessThan(1e-5);
    const found = await head.backward(states!.data, slopes!.data);
    const expected = tensors(`${name}/gradient.`);
    expect([...found.gradients.keys()].sort()).toEqual([...parameters.keys()]);
    for (const [parameter, gradient] of found.gradients)
      expect(relativeDifference(gradient, expected.get(parameter)!.data)).toBeLessThan(1e-5);
    expect(relativeDifference(found.states, expected.get('states')!.data)).toBeLessThan(1e-5);
    await head.dispose();
  });

  it('computes with its current parameters', async () => {
    const parameters = new Map([
      ['value_head.0.weight', { shape: [1, 2], data: Float32Array.of(2, -1) }],
      ['value_head.0.bias', { shape: [1], data: Float32Array.of(0.5) }],
    ]);
    const head = await createValueHead({ inputWidth: 2, hiddenWidths: [], parameters }, { threads: 1 });
    // 2·3 − 1·4 + 0.5 and 2·1 − 1·1 + 0.5
    expect([...(await head.forward(Float32Array.of(3, 4, 1, 1)))]).toEqual([2.5, 1.5]);
    head.group.parameters.get('value_head.0.bias')!.data[0] = 1;
    expect([...(await head.forward(Float32Array.of(3, 4)))]).toEqual([3]);
    // the head has its own copy
    expect(parameters.get('value_head.0.bias')!.data[0]).toBe(0.5);
    await expect(head.forward(Float32Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'internal' });
    await head.dispose();
  });

  it('has the published sizes by default, and starts as nn.Linear does', async () => {
    expect(Object.fromEntries(valueHeadShapes({ inputWidth: 4096 }))).toEqual({
      'value_head.0.weight': [1024, 4096],
      'value_head.0.bias': [1024],
      'value_head.2.weight': [512, 1024],
      'value_head.2.bias': [512],
      'value_head.4.weight': [1, 512],
      'value_head.4.bias': [1],
    });
    const start = { inputWidth: 100, hiddenWidths: [25], parameters: Random.fromSeed('head') };
    const head = await createValueHead({ ...start, learningRateScale: 10 }, { threads: 1 });
    expect(head.group).toMatchObject({ name: 'value head', learningRateScale: 10 });
    // uniform within ±1/√inputs: 2,500 numbers within ±0.1, the largest close to it; 25 within ±0.2
    const largest = (name: string) =>
      Math.max(...Array.from(head.group.parameters.get(name)!.data, (value) => Math.abs(value)));
    expect(largest('value_head.0.weight')).toBeLessThan(0.1);
    expect(largest('value_head.0.weight')).toBeGreaterThan(0.099);
    expect(largest('value_head.2.weight')).toBeLessThan(0.2);
    expect(largest('value_head.2.weight')).toBeGreaterThan(0.15);
    expect(largest('value_head.2.bias')).toBeLessThan(0.2);
    await head.dispose();
  });

  it('rejects tensors of another head, and invalid widths', async () => {
    const parameters = tensors('deep/parameter.');
    const refused = async (options: object, code: string, message: RegExp) => {
      const opening = createValueHead({ inputWidth: 24, hiddenWidths: [16, 8], parameters, ...options });
      await expect(opening).rejects.toSatisfy(
        (error) => error instanceof EmacError && error.code === code && message.test(error.message),
      );
    };
    await refused({ hiddenWidths: [16] }, 'data', /has no value_head\.4\.bias/);
    await refused({ inputWidth: 25 }, 'data', /value_head\.0\.weight must be \[16, 25\], got \[16, 24\]/);
    await refused(
      { parameters: tensors('without bias/parameter.') },
      'data',
      /0\.bias must be \[16\], got nothing/,
    );
    await refused({ hiddenWidths: [0] }, 'usage', /positive whole widths, got 24 → 0 → 1/);
  });
});
