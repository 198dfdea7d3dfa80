/** The gripper, last number of an action: data sets have 0 closed and 1 open, LIBERO has −1 open and 1 closed. */

/** LIBERO's action while objects settle, and for a malformed answer: no motion, gripper open. */
export const noOperation: readonly number[] = [0, 0, 0, 0, 0, 0, -1];

/** Maps the last number from 0 … 1 to −1 … 1 (2x − 1), and to its sign with `binarize` (0.5 becomes 0). */
export function gripperToSigned(action: readonly number[], { binarize = true } = {}): number[] {
  return withGripper(action, (x) => (binarize ? Math.sign(2 * x - 1) : 2 * x - 1));
}

/** Negates the last number: from 1 open to −1 open, or back. */
export function invertGripper(action: readonly number[]): number[] {
  return withGripper(action, (x) => 0 - x);
}

/** From a data set's action to LIBERO's: both conversions, binarized. */
export function toLibero(action: readonly number[]): number[] {
  return invertGripper(gripperToSigned(action));
}

function withGripper(action: readonly number[], change: (value: number) => number): number[] {
  return action.map((value, place) => (place === action.length - 1 ? change(value) : value));
}
