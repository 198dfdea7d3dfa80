import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Parameter } from '@emac/core';
import { createAdamW } from './adamw.ts';

type Values = Readonly<Record<'weight' | 'bias', readonly number[]>>;

/** Steps of torch.optim.AdamW; made by `tools/reference/write_adamw.py`. */
const fixture = JSON.parse(readFileSync(new URL('../fixtures/adamw.json', import.meta.url), 'utf8')) as {
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weight_decay: number;
  readonly start: Values;
  readonly steps: readonly {
    readonly learning_rate: number;
    readonly gradient: Values;
    readonly after: Values;
  }[];
};

describe('AdamW', () => {
  it("takes PyTorch's steps, for gradients from 1e-7 to 1e2 and changing rates", () => {
    const parameters = new Map<string, Parameter>([
      ['weight', { shape: [4, 3], data: Float32Array.from(fixture.start.weight) }],
      ['bias', { shape: [4], data: Float32Array.from(fixture.start.bias) }],
    ]);
    const { betas, epsilon, weight_decay: weightDecay } = fixture;
    const optimizer = createAdamW([{ name: 'all', parameters, learningRateScale: 1 }], {
      betas,
      epsilon,
      weightDecay,
    });
    expect(fixture.steps).toHaveLength(6);
    for (const { learning_rate: rate, gradient, after } of fixture.steps) {
      const gradients = Object.entries(gradient).map(
        ([name, values]) => [name, Float32Array.from(values)] as const,
      );
      optimizer.step(new Map(gradients), rate);
      for (const [name, { data }] of parameters)
        data.forEach((value, place) => {
          // one unit in the last place of float32 is 1.2e-7 of a parameter; PyTorch rounds after every operation
          expect(Math.abs(value - after[name as keyof Values][place]!), name).toBeLessThan(3e-7);
        });
    }
  });
});
