import { expectedTensors } from '@emac/backbone';
import { expect, it } from 'vitest';
import { tinyConfig } from '../tiny-model/config.ts';
import { sizeOf } from '../tiny-model/parameters.ts';
import type { TinyVocabulary } from '../tiny-model/vocabulary.ts';
import { emmaTinySizes } from './sizes.ts';

const words = 921;

function parameters(size: string): number {
  const vocabulary = { size: words, tokenizer: { tokenId: () => 4 } } as unknown as TinyVocabulary;
  const shapes = [...expectedTensors(tinyConfig(emmaTinySizes(size), vocabulary)).values()];
  return shapes.reduce((sum, shape) => sum + sizeOf(shape.map((length) => length ?? words)), 0);
}

it('has 40 million parameters in the large size, twenty times the shipped ones', () => {
  expect(parameters('tiny')).toBe(1_965_920);
  expect(parameters('large')).toBe(40_449_600);
});

it('rejects an unknown size', () => {
  expect(() => emmaTinySizes('huge')).toThrow('--size: must be tiny or large, got huge');
});
