import { Random, type Parameter } from '@emac/core';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { orthogonalized } from './orthogonal.ts';
import { createOptimizer } from './optimizers.ts';

type Values = Readonly<Record<string, readonly number[]>>;

/** Steps of torch.optim.Muon without its rounding to bfloat16; made by `tools/reference/write_muon.py`. */
const fixture = JSON.parse(readFileSync(new URL('../fixtures/muon.json', import.meta.url), 'utf8')) as {
  readonly weight_decay: number;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly start: Values;
  readonly steps: readonly {
    readonly learning_rate: number;
    readonly gradient: Values;
    readonly after: Values;
  }[];
};
const options = {
  optimizer: 'muon',
  betas: [0.9, 0.999],
  epsilon: 1e-8,
  weightDecay: fixture.weight_decay,
} as const;

const started = () =>
  new Map<string, Parameter>(
    Object.entries(fixture.start).map(([name, values]) => [
      name,
      { shape: fixture.shapes[name]!, data: Float32Array.from(values) },
    ]),
  );
const grouped = (parameters: Map<string, Parameter>) => [{ name: 'all', parameters, learningRateScale: 1 }];
const gradientsOf = (values: Values) =>
  new Map(Object.entries(values).map(([name, each]) => [name, Float32Array.from(each)]));
type Matrix = readonly (readonly number[])[];
const turned = (matrix: Matrix) => matrix[0]!.map((_, j) => matrix.map((row) => row[j]!));
const times = (left: Matrix, right: Matrix) => {
  const columns = turned(right);
  return left.map((row) => columns.map((each) => row.reduce((sum, value, k) => sum + value * each[k]!, 0)));
};

describe('Muon', () => {
  it("takes PyTorch's steps, for wide, tall and narrow matrices and changing rates", () => {
    const parameters = started();
    const optimizer = createOptimizer(grouped(parameters), options);
    expect(fixture.steps).toHaveLength(6);
    for (const { learning_rate: rate, gradient, after } of fixture.steps) {
      optimizer.step(gradientsOf(gradient), rate);
      for (const [name, { data }] of parameters)
        data.forEach((value, place) => {
          // one unit in the last place of float32 is 1.2e-7 of a parameter
          expect(Math.abs(value - after[name]![place]!), name).toBeLessThan(1e-6);
        });
    }
  });

  it('makes singular values of 1 of the polynomial’s fifth iterate, by hand for a diagonal matrix', () => {
    // each singular value by itself: s ← as + bs³ + cs⁵, from 3/5 and 4/5
    const iterated = (start: number) => {
      let s = start;
      for (let i = 0; i < 5; i++) s = 3.4445 * s - 4.775 * s ** 3 + 2.0315 * s ** 5;
      return s;
    };
    const found = orthogonalized(Float64Array.of(3, 0, 0, 4), 2, 2);
    [iterated(0.6), 0, 0, iterated(0.8)].forEach((expected, place) =>
      expect(found[place]).toBeCloseTo(expected, 12),
    );
    expect(Math.abs(found[0]! - 1)).toBeLessThan(0.35);
    expect([...orthogonalized(new Float64Array(6), 3, 2)]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('iterates on the shorter side to the same matrix, over edges of tiles and blocks', () => {
    const random = Random.fromSeed(0);
    const start = Array.from({ length: 5 }, () => Array.from({ length: 515 }, () => random.uniform() - 0.5));
    const norm = Math.hypot(...start.flat());
    let x = start.map((row) => row.map((value) => value / norm));
    // as published: X ← aX + (bA + cA²)X
    for (let iteration = 0; iteration < 5; iteration++) {
      const gram = times(x, turned(x));
      const square = times(gram, gram);
      const moved = times(
        gram.map((row, i) => row.map((value, k) => -4.775 * value + 2.0315 * square[i]![k]!)),
        x,
      );
      x = x.map((row, i) => row.map((value, j) => 3.4445 * value + moved[i]![j]!));
    }
    const wide = orthogonalized(Float64Array.from(start.flat()), 5, 515);
    x.flat().forEach((value, place) => expect(wide[place]).toBeCloseTo(value, 12));
    const tall = orthogonalized(Float64Array.from(turned(start).flat()), 515, 5);
    const across = Array.from({ length: 5 }, (_, i) => [...wide.subarray(i * 515, (i + 1) * 515)]);
    expect([...tall]).toEqual(turned(across).flat());
  });

  it('moves tensors that are no matrices as AdamW does, without decay', () => {
    const bias = () => new Map<string, Parameter>([['bias', { shape: [2], data: Float32Array.of(1, -2) }]]);
    const [one, other] = [bias(), bias()];
    const gradients = new Map([['bias', Float32Array.of(0.5, -0.25)]]);
    createOptimizer(grouped(one), options).step(gradients, 0.1);
    createOptimizer(grouped(other), { ...options, optimizer: 'adamw' }).step(gradients, 0.1);
    expect(one).toEqual(other);
    // the first step of AdamW is the rate against the gradient's sign
    expect(one.get('bias')!.data[0]).toBeCloseTo(0.9, 6);
  });

  it('goes on from its state to the same bits, and refuses a state of AdamW', () => {
    const [whole, split] = [started(), started()];
    const [first, second] = fixture.steps.map(({ gradient }) => gradientsOf(gradient));
    const straight = createOptimizer(grouped(whole), options);
    straight.step(first!, 0.01);
    straight.step(second!, 0.01);
    const before = createOptimizer(grouped(split), options);
    before.step(first!, 0.01);
    createOptimizer(grouped(split), options, structuredClone(before.state())).step(second!, 0.01);
    expect(split).toEqual(whole);
    const foreign = createOptimizer(grouped(started()), { ...options, optimizer: 'adamw' }).state();
    expect(() => createOptimizer(grouped(started()), options, foreign)).toThrow(
      'optimizer state: wide.momentum must be [3, 5], got nothing',
    );
  });
});
