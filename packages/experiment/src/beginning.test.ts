import { expect, it } from 'vitest';
import { requireBeginning, requirePreset } from './beginning.ts';

/** A model of so many matrices with ten million parameters. */
const modelOf = (matrices: number) => Array.from({ length: matrices }, () => ({ shape: [2000, 5000] }));
const asked = { policy: 'models/vicuna', presets: ['tiny', 'nl', 'bj'] };

it('a model that is to be trained requires a preset from 100 million parameters on, and lists them', () => {
  expect(() => requirePreset(modelOf(11), asked)).toThrow(
    /^--preset: .* 100 million parameters, models\/vicuna has 110; give nl or bj, .* or a rate with --lr/,
  );
  expect(() => requirePreset(modelOf(10), asked)).not.toThrow();
});

it('settings of a program under earlier names are judged as those of today', () => {
  const network = { policy: 'mlp', methods: ['bc'] };
  const earlier = (speech: object): object => ({ model: { path: 'mlp' }, speech });
  expect(() => requireBeginning('train', earlier({ beams: 2 }), network)).toThrow(
    /^--beams: is for language/,
  );
  const longest = earlier({ maxTextTokens: 99 });
  expect(() => requireBeginning('train', longest, network)).toThrow(/^--max-prompt-tokens: is for language/);
});
