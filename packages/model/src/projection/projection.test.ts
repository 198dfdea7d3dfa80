import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import type { Parameter } from '@emac/core';
import { createProjection, type Projection } from './projection.ts';
import { projectionShapes, shapeOf } from './projection-shape.ts';
import { loadTensorflow, type Tensorflow } from './tensorflow.ts';
import { loadRuntime, runtimes } from '../tensorflow-runtimes.test.support.ts';

const mlp = { kind: 'mlp', inputWidth: 5, hiddenWidth: 7, outputWidth: 4 } as const;
const mlp3 = { kind: 'mlp3', inputWidth: 5, hiddenWidth: 7, outputWidth: 4 } as const;
const linear = { kind: 'linear', inputWidth: 5, outputWidth: 4 } as const;

function normals(seed: string, length: number): Float32Array {
  const random = Random.fromSeed(seed);
  return Float32Array.from({ length }, () => random.normal());
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0);
}

/** Central difference of Σ V · upstream with respect to one number. */
function slope(
  projection: Projection,
  at: { data: Float32Array; index: number },
  value: () => number,
): number {
  const step = 1e-2;
  const before = at.data[at.index]!;
  const shifted = [step, -step].map((shift) => {
    at.data[at.index] = before + shift;
    projection.commit();
    return value();
  });
  at.data[at.index] = before;
  projection.commit();
  return (shifted[0]! - shifted[1]!) / (2 * step);
}

async function onBackends(check: (tf: Tensorflow) => void): Promise<void> {
  for (const backend of runtimes) check(await loadRuntime(backend));
}

/** max|a − b| / max|b| */
function relativeError(values: Float32Array, expected: Float32Array): number {
  const most = (numbers: Float32Array) => numbers.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  return most(values.map((value, index) => value - expected[index]!)) / most(expected);
}

describe('createProjection', () => {
  it('computes Q·Wᵀ + b and its gradients as worked out by hand', () =>
    onBackends((tf) => {
      const parameters = new Map<string, Parameter>([
        ['language_projection.weight', { shape: [2, 3], data: Float32Array.of(1, 2, 3, -1, 0, 0.5) }],
        ['language_projection.bias', { shape: [2], data: Float32Array.of(10, 20) }],
      ]);
      const projection = createProjection(tf, { kind: 'linear', inputWidth: 3, outputWidth: 2, parameters });
      const features = Float32Array.of(1, 1, 1, 0, 2, 4);
      // row 1: 1+2+3+10 = 16, −1+0+0.5+20 = 19.5; row 2: 0+4+12+10 = 26, 0+0+2+20 = 22
      expect([...projection.forward(features, 2)]).toEqual([16, 19.5, 26, 22]);
      // dV = [[1, 0], [2, −1]]: dW = dVᵀ·Q = [[1+0, 1+4, 1+8], [0, −2, −4]], db = column sums [3, −1]
      const gradients = projection.backward(features, 2, Float32Array.of(1, 0, 2, -1));
      expect([...gradients.get('language_projection.weight')!]).toEqual([1, 5, 9, 0, -2, -4]);
      expect([...gradients.get('language_projection.bias')!]).toEqual([3, -1]);
      projection.dispose();
    }));

  it('puts an erf GELU between the two layers of an mlp', () =>
    onBackends((tf) => {
      const one = Float32Array.of(1);
      const zero = Float32Array.of(0);
      const parameters = new Map<string, Parameter>([
        ['language_projection.0.weight', { shape: [1, 1], data: one }],
        ['language_projection.0.bias', { shape: [1], data: zero }],
        ['language_projection.2.weight', { shape: [1, 1], data: one }],
        ['language_projection.2.bias', { shape: [1], data: zero }],
      ]);
      const shape = { kind: 'mlp', inputWidth: 1, hiddenWidth: 1, outputWidth: 1, parameters } as const;
      const projection = createProjection(tf, shape);
      // x·Φ(x) with Φ from tables of the normal distribution: Φ(1) = 0.841345, Φ(−2) = 0.022750
      const [positive, negative, zeroValue] = projection.forward(Float32Array.of(1, -2, 0), 3);
      expect(positive).toBeCloseTo(0.841345, 5);
      expect(negative).toBeCloseTo(-0.0455, 5);
      expect(zeroValue).toBe(0);
      projection.dispose();
    }));

  it('puts a GELU between any two of three layers', () =>
    onBackends((tf) => {
      const [one, zero] = [Float32Array.of(1), Float32Array.of(0)];
      const layers = ['0', '2', '4'].flatMap((layer): [string, Parameter][] => [
        [`language_projection.${layer}.weight`, { shape: [1, 1], data: one }],
        [`language_projection.${layer}.bias`, { shape: [1], data: zero }],
      ]);
      const shape = { kind: 'mlp3', inputWidth: 1, hiddenWidth: 1, outputWidth: 1 } as const;
      const projection = createProjection(tf, { ...shape, parameters: new Map(layers) });
      // x·Φ(x) twice: 1·Φ(1) = 0.841345, then 0.841345·Φ(0.841345) = 0.841345 · 0.799922 (tables of the normal distribution)
      expect(projection.forward(one, 1)[0]).toBeCloseTo(0.67301, 4);
      projection.dispose();
    }));

  it.each([linear, mlp, mlp3])('matches finite differences ($kind)', (shape) =>
    onBackends((tf) => {
      const projection = createProjection(tf, { ...shape, parameters: Random.fromSeed('start') });
      const features = normals('features', 2 * 3 * 5);
      const upstream = normals('upstream', 2 * 3 * 4);
      const gradients = projection.backward(features, 6, upstream);
      const value = (): number => dot(projection.forward(features, 6), upstream);
      for (const [name, { data }] of projection.parameters)
        for (const index of [0, Math.floor(data.length / 2), data.length - 1]) {
          const expected = slope(projection, { data, index }, value);
          expect(gradients.get(name)![index], `${name}[${index}]`).toBeCloseTo(expected, 2);
        }
      projection.dispose();
    }),
  );

  it.each([
    { kind: 'linear', inputWidth: 96, outputWidth: 160 } as const,
    { kind: 'mlp', inputWidth: 96, hiddenWidth: 128, outputWidth: 160 } as const,
    { kind: 'mlp3', inputWidth: 96, hiddenWidth: 128, outputWidth: 160 } as const,
  ])('takes the same training step on every runtime within 1e-5 ($kind)', async (shape) => {
    const rows = 8 * 32;
    const steps: Float32Array[][] = [];
    await onBackends((tf) => {
      const projection = createProjection(tf, { ...shape, parameters: Random.fromSeed(1) });
      const features = normals('f', rows * shape.inputWidth);
      const gradients = projection.backward(features, rows, normals('u', rows * shape.outputWidth));
      for (const [name, { data }] of projection.parameters)
        gradients.get(name)!.forEach((slope, index) => (data[index]! -= 1e-3 * slope));
      projection.commit();
      steps.push([...gradients.values(), projection.forward(features, rows)]);
      projection.dispose();
    });
    for (const step of steps.slice(1))
      for (const [index, values] of step.entries())
        expect(relativeError(values, steps[0]![index]!)).toBeLessThan(1e-5);
  });

  it('counts changed parameters only after commit', () =>
    onBackends((tf) => {
      const projection = createProjection(tf, { ...linear, parameters: Random.fromSeed(2) });
      const features = normals('f', 5);
      const before = projection.forward(features, 1);
      projection.parameters.get('language_projection.bias')!.data[0]! += 1;
      expect([...projection.forward(features, 1)]).toEqual([...before]);
      projection.commit();
      expect(projection.forward(features, 1)[0]).toBeCloseTo(before[0]! + 1, 5);
      projection.dispose();
    }));

  it('leaks no tensor', () =>
    onBackends((tf) => {
      const atStart = tf.memory().numTensors;
      const projection = createProjection(tf, { ...mlp, parameters: Random.fromSeed(3) });
      const held: number[] = [];
      for (let turn = 0; turn < 2; turn++) {
        projection.forward(normals('f', 5), 1);
        projection.backward(normals('f', 5), 1, normals('u', 4));
        projection.commit();
        held.push(tf.memory().numTensors - atStart);
      }
      expect(held).toEqual([4, 4]);
      projection.dispose();
      expect(tf.memory().numTensors).toBe(atStart);
    }));

  it('starts within ±1/√inputs, equal for equal seeds', async () => {
    const { tf } = await loadTensorflow('cpu');
    const [first, second] = [1, 2].map(() => {
      const projection = createProjection(tf, { ...mlp, parameters: Random.fromSeed(4) });
      projection.dispose();
      return [...projection.parameters].map(([name, { data }]) => [name, [...data]] as const);
    });
    expect(first).toEqual(second);
    const bound = { '0': 1 / Math.sqrt(5), '2': 1 / Math.sqrt(7) };
    for (const [name, values] of first!)
      expect(Math.max(...values.map(Math.abs)), name).toBeLessThanOrEqual(
        bound[name.includes('.0.') ? '0' : '2'],
      );
  });

  it('names the tensor that does not fit', async () => {
    const { tf } = await loadTensorflow('cpu');
    const parameters = new Map<string, Parameter>([
      ['language_projection.weight', { shape: [5, 4], data: new Float32Array(20) }],
      ['language_projection.bias', { shape: [4], data: new Float32Array(4) }],
    ]);
    expect(() => createProjection(tf, { ...linear, parameters })).toThrow(
      'language_projection.weight must be [4, 5], got [5, 4]',
    );
    expect(() => projectionShapes({ kind: 'mlp', inputWidth: 5, outputWidth: 4 })).toThrow('5 → 0 → 4');
  });

  it('has the kind and widths of its tensors', () => {
    for (const shape of [linear, mlp, mlp3, { ...linear, bias: false }]) {
      const parameters = [...projectionShapes(shape)].map(([name, shape]): [string, Parameter] => {
        return [name, { shape, data: new Float32Array(shape.reduce((a, b) => a * b)) }];
      });
      expect(shapeOf(new Map(parameters))).toEqual(shape);
      expect(() => shapeOf(new Map(parameters.slice(1)))).toThrow(/must be language_projection.weight/);
      expect(() => shapeOf(new Map([...parameters, ['extra', parameters[0]![1]]]))).toThrow(/, extra$/);
    }
    expect(() => shapeOf(new Map())).toThrow(/got none$/);
  });
});
