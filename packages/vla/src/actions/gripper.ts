/**
 * The gripper, last number of an action: data sets have 0 closed and 1 open, LIBERO takes −1 open and 1 closed.
 */

/** What LIBERO is given while objects settle, and for an answer that is none: no motion, gripper open. */
export const noOperation: readonly number[] = [0, 0, 0, 0, 0, 0, -1];

/** How many of them begin an episode. */
export const settlingSteps = 10;

/** The last number from 0 … 1 to −1 … 1 (2x − 1), and to its sign where `binarize` (0.5 becomes 0). */
export function gripperToSigned(action: readonly number[], { binarize = true } = {}): number[] {
  return withGripper(action, (x) => (binarize ? Math.sign(2 * x - 1) : 2 * x - 1));
}

/** The last number times −1: from 1 open to −1 open, or back. */
export function invertGripper(action: readonly number[]): number[] {
  return withGripper(action, (x) => 0 - x);
}

/** From a data set's action to one that LIBERO takes: both conversions, binarized. */
export function toLibero(action: readonly number[]): number[] {
  return invertGripper(gripperToSigned(action));
}

function withGripper(action: readonly number[], change: (value: number) => number): number[] {
  return action.map((value, place) => (place === action.length - 1 ? change(value) : value));
}
