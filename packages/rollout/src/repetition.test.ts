import { describe, expect, it } from 'vitest';
import { repeatsItself } from './repetition.ts';

describe('repeatsItself', () => {
  it.each([
    ['', false],
    ['a', false],
    ['aa', true],
    ['aba', false],
    ['abab', true],
    ['babc', false],
    ['caba', false],
    ['cabab', true],
    ['abcabc', false],
    ['abcc', true],
  ])('of commands %j is %j', (commands, expected) => {
    expect(repeatsItself([...commands])).toBe(expected);
  });
});
