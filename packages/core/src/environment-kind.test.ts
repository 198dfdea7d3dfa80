import { expect, it } from 'vitest';
import { isWon } from './environment-kind.ts';

it.each([
  // a wrong step and then the goal: reported as won, with a return of 0
  { hasGoal: true, won: true, return: 0, isSuccess: true },
  { hasGoal: false, won: true, return: 0, isSuccess: false },
  { hasGoal: undefined, won: true, return: 0, isSuccess: true },
  // partial rewards without the goal
  { hasGoal: true, won: false, return: 0.1, isSuccess: false },
  { hasGoal: false, won: false, return: 0.1, isSuccess: true },
  { hasGoal: undefined, won: false, return: 0.1, isSuccess: true },
])(
  'with a goal $hasGoal, reported as $won with return $return: $isSuccess',
  ({ hasGoal, isSuccess, ...episode }) => {
    expect(isWon(hasGoal === undefined ? {} : { hasGoal }, episode)).toBe(isSuccess);
  },
);
