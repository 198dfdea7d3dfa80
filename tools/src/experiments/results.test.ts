import { expect, it } from 'vitest';
import { markdown } from './results.ts';

it('leaves out rows and columns without any result', () => {
  const head = ['', 'first', 'second'];
  expect(markdown([head, ['a', '1', ''], ['b', '', '']])).toBe('|  | first |\n| --- | --- |\n| a | 1 |');
  expect(markdown([head, ['a', '', '']])).toBe('Not measured yet.');
});
