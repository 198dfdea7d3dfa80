import { describe, expect, it } from 'vitest';
import { requirePresetOf } from './needed-preset.ts';

/** A model of so many matrices with ten million parameters. */
const modelOf = (matrices: number) => ({
  tensors: new Map(Array.from({ length: matrices }, (_, name) => [String(name), { shape: [2000, 5000] }])),
});
const asked = (preset?: string, learningRate?: number) => ({
  policy: 'models/vicuna',
  presets: 'nl or bj',
  preset,
  learningRate,
});

describe('a model that is to be trained', () => {
  it('requires a preset from 100 million parameters on, and lists them', () => {
    expect(() => requirePresetOf(modelOf(11), asked())).toThrow(
      /^--preset: .* 100 million parameters, models\/vicuna has 110; give nl or bj, .* or a rate with --lr/,
    );
  });

  it('requires none for a small model or beside a rate, and takes any', () => {
    expect(() => requirePresetOf(modelOf(10), asked())).not.toThrow();
    for (const preset of ['tiny', 'ezp'])
      expect(() => requirePresetOf(modelOf(11), asked(preset))).not.toThrow();
    expect(() => requirePresetOf(modelOf(11), asked(undefined, 1e-5))).not.toThrow();
  });
});
