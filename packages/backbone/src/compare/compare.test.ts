import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { compareFolder, withinTolerance } from './compare.ts';
import { float32Difference } from './float32-difference.ts';
import type { Comparison } from './comparison.ts';

const data = process.env['EMAC_TEST_DATA'];
const gemma = fileURLToPath(new URL('../../fixtures/text/gemma3_text', import.meta.url));

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
  const large = { layers: 18, hiddenSize: 640, intermediateSize: 2304, heads: 4, headSize: 256 };
  const stages = Object.fromEntries(['logits', 'grad_projection_bias'].map((stage) => [stage, 5e-4]));
  const comparison = {
    stages,
    generated: { a: true },
    rounding: 0,
    provider: 'cpu',
  } as unknown as Comparison;

  it('is wider for gradients than for stages', () => {
    expect(withinTolerance(comparison)).toBe(false);
    expect(withinTolerance({ ...comparison, stages: { ...comparison.stages, logits: 5e-5 } })).toBe(true);
  });

  it('needs every token to agree', () => {
    const close = { ...comparison.stages, logits: 0, grad_projection_bias: 0 };
    expect(withinTolerance({ ...comparison, stages: close, generated: { a: true, b: false } })).toBe(false);
  });

  it('grows with the depth and width of a large language model, not with those of its eye', () => {
    // 2 programs · 2 · 18 sums · √2304 · 2⁻²⁴ = 72 · 48 / 16777216
    const rounding = float32Difference(large);
    expect(rounding).toBeCloseTo(2.06e-4, 6);
    const within = (stage: string, error: number) =>
      withinTolerance({ ...comparison, rounding, stages: { [stage]: error } });
    expect(within('adapted_logits', 2e-4)).toBe(true);
    expect(within('adapted_logits', 2.1e-4)).toBe(false);
    expect(within('grad_adapter', 2e-3)).toBe(true);
    expect(within('visual', 2e-4)).toBe(false);
  });

  it.each([
    ['a window that is not heeded', { layer_types: Array<string>(3).fill('full_attention') }],
    ['another scale of attention', { query_pre_attn_scalar: 20 }],
    ['another rotary base', { rope_theta: 500 }],
    ['another constant of norms', { rms_norm_eps: 1e-3 }],
  ])('is smaller than what a misread key changes: %s', async (_, keys) => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-misread-'));
    cpSync(gemma, folder, { recursive: true });
    const file = join(folder, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...config, ...keys }));
    const misread = await compareFolder(folder, { generations: () => false });
    rmSync(folder, { recursive: true });
    expect(withinTolerance(misread)).toBe(false);
    expect(misread.stages['logits']).toBeGreaterThan(float32Difference(large));
  });
});
