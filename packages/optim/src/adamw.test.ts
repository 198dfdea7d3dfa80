import { EmacError, type ParameterSet } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { createAdamW } from './adamw.ts';
import { clipGradients } from './clipping.ts';

const options = { betas: [0.9, 0.999], epsilon: 1e-8, weightDecay: 0.05 } as const;

function scalar(value: number, dimensions: 1 | 2) {
  const shape = dimensions === 1 ? [1] : [1, 1];
  return new Map([['p', { shape, data: Float32Array.of(value) }]]);
}

const grouped = (parameters: ParameterSet, learningRateScale = 1) => [
  { name: 'all', parameters, learningRateScale },
];

const gradient = (value: number) => new Map([['p', Float32Array.of(value)]]);

describe('createAdamW', () => {
  it('takes the three steps computed by hand, decay included', () => {
    const parameters = scalar(1, 2);
    const optimizer = createAdamW(grouped(parameters), options);
    const value = (): number => parameters.get('p')!.data[0]!;
    // t=1, g=2: m/(1−0.9) = 2, √(v/(1−0.999)) = 2, ratio 1: 1·(1 − 0.1·0.05) − 0.1·1 = 0.895
    optimizer.step(gradient(2), 0.1);
    expect(value()).toBeCloseTo(0.895, 6);
    // t=2, g=−1: m = 0.9·0.2 − 0.1 = 0.08, /0.19 = 0.4210526; v = 0.999·0.004 + 0.001 = 0.004996,
    // /0.001999 = 2.4992496, root 1.5809015; ratio 0.2663370: 0.895·0.995 − 0.0266337 = 0.8638913
    optimizer.step(gradient(-1), 0.1);
    expect(value()).toBeCloseTo(0.8638913, 6);
    // t=3, g=0, lr 0.2: m = 0.072, /0.271 = 0.2656827; v = 0.004991004, /0.002997001 = 1.6653328, root 1.2904777;
    // ratio 0.2058793: 0.8638913·0.99 − 0.0411759 = 0.8140765
    optimizer.step(gradient(0), 0.2);
    expect(value()).toBeCloseTo(0.8140765, 6);
  });

  it('does not decay biases', () => {
    const parameters = scalar(1, 1);
    createAdamW(grouped(parameters), options).step(gradient(2), 0.1);
    expect(parameters.get('p')!.data[0]).toBeCloseTo(0.9, 6);
  });

  it("multiplies the rate by each group's scale", () => {
    const [slow, fast] = [scalar(1, 1), new Map([['q', { shape: [1], data: Float32Array.of(1) }]])];
    const groups = [...grouped(slow, 0.5), ...grouped(fast, 2)];
    const gradients = new Map([...gradient(2), ['q', Float32Array.of(2)] as const]);
    createAdamW(groups, options).step(gradients, 0.1);
    // the first step's length is its rate: 0.1 · 0.5 and 0.1 · 2
    expect(slow.get('p')!.data[0]).toBeCloseTo(0.95, 6);
    expect(fast.get('q')!.data[0]).toBeCloseTo(0.8, 6);
  });

  it('continues from a stored state as if never stopped', () => {
    const whole = scalar(1, 2);
    const optimizer = createAdamW(grouped(whole), options);
    for (const value of [2, -1, 0.5]) optimizer.step(gradient(value), 0.1);

    const first = scalar(1, 2);
    const before = createAdamW(grouped(first), options);
    for (const value of [2, -1]) before.step(gradient(value), 0.1);
    const { step, tensors } = before.state();
    expect([...tensors.keys()]).toEqual(['p.first_moment', 'p.second_moment']);
    const second = scalar(first.get('p')!.data[0]!, 2);
    createAdamW(grouped(second), options, { step, tensors: structuredClone(tensors) }).step(
      gradient(0.5),
      0.1,
    );
    expect(second.get('p')!.data).toEqual(whole.get('p')!.data);
  });

  it('rejects a state of other parameters and a missing gradient', () => {
    const state = createAdamW(grouped(scalar(1, 2)), options).state();
    expect(() => createAdamW(grouped(scalar(1, 1)), options, state)).toThrow(
      'p.first_moment must be [1], got [1, 1]',
    );
    expect(() => createAdamW(grouped(scalar(1, 1)), options).step(new Map(), 0.1)).toThrow(EmacError);
  });
});

describe('clipGradients', () => {
  it('scales all gradients by one factor if their joint norm exceeds the limit', () => {
    // √(3² + 4² + 12²) = 13
    const gradients = new Map([
      ['a', Float32Array.of(3, 4)],
      ['b', Float32Array.of(12)],
    ]);
    expect(clipGradients(gradients, null)).toBe(13);
    expect(clipGradients(gradients, 13)).toBe(13);
    expect([...gradients.get('b')!]).toEqual([12]);
    expect(clipGradients(gradients, 6.5)).toBe(13);
    expect([...gradients.get('a')!, ...gradients.get('b')!]).toEqual([1.5, 2, 6]);
  });

  it('reports a norm that is not finite', () => {
    expect(clipGradients(new Map([['a', Float32Array.of(1, NaN)]]), 1)).toBeNaN();
    expect(clipGradients(new Map([['a', Float32Array.of(Infinity)]]), null)).toBe(Infinity);
  });
});
