import { expect, it } from 'vitest';
import { requirePreset } from './beginning.ts';

/** A model of so many matrices with ten million parameters. */
const modelOf = (matrices: number) => Array.from({ length: matrices }, () => ({ shape: [2000, 5000] }));
const asked = { policy: 'models/vicuna', presets: ['tiny', 'nl', 'bj', 'tiny-image'] };

it('a model that is to be trained requires a preset from 100 million parameters on, and lists them', () => {
  expect(() => requirePreset(modelOf(11), asked)).toThrow(
    /^--preset: .* 100 million parameters, models\/vicuna has 110; give nl or bj, .* or a rate with --lr/,
  );
  expect(() => requirePreset(modelOf(10), asked)).not.toThrow();
});
