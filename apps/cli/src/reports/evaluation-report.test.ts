import { describe, expect, it } from 'vitest';
import { successOf } from './evaluation-report.ts';

describe('what counts as success', () => {
  it.each([
    ['./mine.mjs', 'won'],
    ['FrozenLake-v1', 'won'],
    ['Sokoban-small', 'won'],
    ['MiniGrid-Empty-5x5', 'return > 0'],
    ['remote/CartPole-v1', 'return > 0'],
  ])('in %s is %s', (env, words) => expect(successOf(env)).toBe(words));
});
