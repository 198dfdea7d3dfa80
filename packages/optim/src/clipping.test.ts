import { expect, it } from 'vitest';
import { clipGradients } from './clipping.ts';

const gradients = () =>
  new Map([
    ['a', new Float32Array([3, 0])],
    ['b', new Float32Array([4])],
  ]);

it('clips to the limit itself, while PyTorch ends a millionth of the norm below', () => {
  const clipped = gradients();
  // √(3² + 4²) = 5; 3 · 0.01 / 5 = 0.006, in PyTorch 3 · 0.01 / (5 + 1e-6) = 0.0059999988
  expect(clipGradients(clipped, 0.01)).toBe(5);
  expect([...clipped.get('a')!, ...clipped.get('b')!]).toEqual([0.006, 0, 0.008].map(Math.fround));
  expect(Math.fround(0.006)).not.toBe(Math.fround((3 * 0.01) / (5 + 1e-6)));
});

it('leaves gradients at or below the limit unchanged', () => {
  for (const limit of [5, 6, null]) {
    const same = gradients();
    expect(clipGradients(same, limit)).toBe(5);
    expect(same).toEqual(gradients());
  }
});
