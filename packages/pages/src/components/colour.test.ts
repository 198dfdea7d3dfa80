import { expect, it } from 'vitest';
import { colourCount, colourOf, coloursOf } from './colour.ts';

it('gives runs shown together colours of their own, as long as there are any', () => {
  const names = Array.from({ length: 2 * colourCount }, (_, at) => `run-${at}`);
  const [first, ...others] = names as [string, ...string[]];
  expect(coloursOf([first]).get(first)).toBe(colourOf(first));
  const colours = coloursOf(names);
  expect(colours.get(first)).toBe(colourOf(first));
  expect(new Set(names.slice(0, colourCount).map((name) => colours.get(name))).size).toBe(colourCount);
  // beyond, each has its own again
  const last = others.at(-1)!;
  expect(colours.get(last)).toBe(colourOf(last));
});
