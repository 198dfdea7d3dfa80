/** The largest size of a step's reward: sums over steps, and their squares, stay finite. */
export const largestReward = 1e100;

/** Whether it is a reward of a step. */
export function isReward(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= largestReward;
}
