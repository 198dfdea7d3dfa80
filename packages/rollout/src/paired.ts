/**
 * Two policies on the same tasks: 95 % intervals of the mean difference, narrower than those of two separate samples. Of a score
 * it is mean ± z · s / √n, with the standard deviation s of the differences (n − 1 in its denominator). Of success in one attempt
 * each it is that of Agresti and Min (2005), which adds half a task to each of the four outcomes of a pair, so it also holds for
 * few tasks and for policies that never differ.
 */
import { z95 } from './wilson.ts';

export interface PairedDifference {
  /** tasks that both played */
  readonly tasks: number;
  /** mean of the second score minus the first */
  readonly difference: number;
  /** null for a single task of scores */
  readonly ci95: readonly [number, number] | null;
}

/** Score of a task under the first policy, then under the second. */
export type Pair = readonly [first: number, second: number];

/** Of scores, such as returns. Null without pairs. */
export function pairedScores(pairs: readonly Pair[]): PairedDifference | null {
  const { length } = pairs;
  if (length === 0) return null;
  const differences = pairs.map(([first, second]) => second - first);
  const mean = differences.reduce((sum, each) => sum + each, 0) / length;
  if (length === 1) return { tasks: 1, difference: mean, ci95: null };
  const squares = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const half = z95 * Math.sqrt(squares / (length - 1) / length);
  return { tasks: length, difference: mean, ci95: [mean - half, mean + half] };
}

/** Of success, 1 for a task that was won and 0 for a lost one. Null without pairs. */
export function pairedWins(pairs: readonly Pair[]): PairedDifference | null {
  const { length } = pairs;
  if (length === 0) return null;
  const gained = pairs.filter(([first, second]) => second > first).length;
  const lost = pairs.filter(([first, second]) => second < first).length;
  const tasks = length + 2;
  const centre = (gained - lost) / tasks;
  const half = z95 * Math.sqrt(((gained + lost + 1) / tasks - centre ** 2) / tasks);
  const ci95 = [Math.max(-1, centre - half), Math.min(1, centre + half)] as const;
  return { tasks: length, difference: (gained - lost) / length, ci95 };
}
