import { describe, expect, it } from 'vitest';
import type { PolicyForm } from './policy-form.ts';
import { identityWith, splitVisionNorm, visionNormTensors } from './vision-norm.ts';

const norm = { weight: Float32Array.of(1, 2), bias: Float32Array.of(3, 4), epsilon: 1e-5 };
const weight = { shape: [1, 1], data: Float32Array.of(5) };
const policy = (epsilon: number | null) => ({ visionNorm: epsilon && { epsilon } }) as PolicyForm;

describe('a vision norm of a projection', () => {
  it('is kept beside the projection and found again', () => {
    const kept = new Map([['language_projection.weight', weight], ...visionNormTensors(norm)]);
    expect(splitVisionNorm(kept, policy(1e-5), 'here')).toEqual({
      projection: new Map([['language_projection.weight', weight]]),
      visionNorm: norm,
    });
  });

  it('is null for a policy without one, and required for a policy with one', () => {
    const kept = new Map([['language_projection.weight', weight]]);
    expect(splitVisionNorm(kept, policy(null), 'here').visionNorm).toBeNull();
    expect(() => splitVisionNorm(kept, policy(1e-5), 'here')).toThrow(
      /here: its projection\.safetensors must hold vision_model\.post_layernorm/,
    );
  });

  it('changes the model identity with any of its numbers; without a norm the identity stays', () => {
    const others = [
      norm,
      { ...norm, epsilon: 1e-6 },
      { ...norm, bias: Float32Array.of(3, 5) },
      { ...norm, weight: norm.bias, bias: norm.weight },
    ].map((each) => identityWith('base', each));
    expect(new Set([...others, identityWith('other', norm), 'base']).size).toBe(6);
    expect(identityWith('base', { ...norm })).toBe(others[0]);
    expect(identityWith('base', null)).toBe('base');
  });
});
