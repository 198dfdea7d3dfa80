import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { compareFolder, withinTolerance } from './compare.ts';
import type { Comparison } from './comparison.ts';

const data = process.env['EMAC_TEST_DATA'];

describe.skipIf(!data)('against Hugging Face transformers (needs EMAC_TEST_DATA)', () => {
  it('agrees with the example in every stage, gradient and generated token', async () => {
    const comparison = await compareFolder(join(data!, 'backbone', 'example'));
    for (const [stage, error] of Object.entries(comparison.stages))
      expect(error, stage).toBeLessThan(stage.startsWith('grad_') ? 1e-3 : 1e-4);
    expect(Object.values(comparison.generated)).toEqual(Array<boolean>(12).fill(true));
    expect(withinTolerance(comparison)).toBe(true);
  });
});

describe('tolerance', () => {
  const stages = Object.fromEntries(['logits', 'grad_projection_bias'].map((stage) => [stage, 5e-4]));
  const comparison = { stages, generated: { a: true }, provider: 'cpu' } as unknown as Comparison;

  it('is wider for gradients than for stages', () => {
    expect(withinTolerance(comparison)).toBe(false);
    expect(withinTolerance({ ...comparison, stages: { ...comparison.stages, logits: 5e-5 } })).toBe(true);
  });

  it('needs every token to agree', () => {
    const close = { ...comparison.stages, logits: 0, grad_projection_bias: 0 };
    expect(withinTolerance({ ...comparison, stages: close, generated: { a: true, b: false } })).toBe(false);
  });
});
