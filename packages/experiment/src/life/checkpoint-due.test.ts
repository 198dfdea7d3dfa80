import { expect, it } from 'vitest';
import { checkpointDue, checkpointsOf, checkpointsWithLast } from './checkpoint-due.ts';

/** Updates of 400 ms each. */
const dueAfter = (every: Parameters<typeof checkpointDue>[0], updates: number): number[] => {
  let milliseconds = 0;
  const isDue = checkpointDue(every, { now: () => milliseconds });
  return Array.from({ length: updates }, (_, index) => index + 1).filter((update) => {
    milliseconds += 400;
    return isDue(update);
  });
};

it('makes a checkpoint due after so many updates', () => {
  expect(dueAfter(3, 10)).toEqual([3, 6, 9]);
  expect(checkpointsOf(3, 10)).toEqual({ least: 3, most: 3 });
  // the last update’s too: 3, 6, 9 and 10, but 9 once
  expect([10, 9].map((updates) => checkpointsWithLast(3, updates).most)).toEqual([4, 3]);
});

it('makes one due in the update in which the time since the last has passed', () => {
  // 1.2 s are three updates
  expect(dueAfter('1s', 10)).toEqual([3, 6, 9]);
  // longer than a second each time
  expect(dueAfter('0.3s', 3)).toEqual([1, 2, 3]);
  expect(checkpointsOf('1s', 10)).toEqual({ least: 0, most: 10 });
});
