/**
 * 95 % intervals of evaluations. A task counts once, however often it was attempted: attempts at one task resemble each other.
 * Shares: Wilson (1927), for few tasks and for shares of 0 and 1 too. Means: Student's t over the tasks' means. Differences of two
 * policies are paired by task.
 */

/** 97.5 % quantile of the normal distribution: half the width of a 95 % interval in standard errors. */
const z95 = 1.959963984540054;

export type Interval = readonly [low: number, high: number];

/** Of `successes` in `trials`; null without trials. */
export function wilsonInterval(successes: number, trials: number): Interval | null {
  if (trials === 0) return null;
  const rate = successes / trials;
  const square = (z95 * z95) / trials;
  const centre = (rate + square / 2) / (1 + square);
  const half = (z95 / (1 + square)) * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials));
  // at the ends the exact bound is 0 or 1; rounding would miss it
  return [successes === 0 ? 0 : centre - half, successes === trials ? 1 : centre + half];
}

/**
 * Of a mean of rates, one per task, each from `trials` attempts at its task; null without tasks. Attempts count as the number of
 * independent attempts that would have the same variance between tasks, at least one a task (Wilson's interval at the effective
 * sample size; Kish 1965).
 */
export function rateInterval(rates: readonly number[], trials: number): Interval | null {
  const { length } = rates;
  if (length === 0) return null;
  const mean = meanOf(rates);
  // one task, or rates of 0 or 1 alone, say nothing about the spread between tasks
  const isSpreadKnown = length > 1 && mean > 0 && mean < 1;
  const independent = isSpreadKnown ? (mean * (1 - mean)) / standardError(rates) ** 2 : length;
  const effective = Math.min(Math.max(independent, length), length * trials);
  return wilsonInterval(mean * effective, effective);
}

/** Of a mean of scores, one per task; null for fewer than two tasks. */
export function meanInterval(scores: readonly number[]): Interval | null {
  if (scores.length < 2) return null;
  const [mean, half] = [meanOf(scores), t95(scores.length - 1) * standardError(scores)];
  return [mean - half, mean + half];
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** Of the mean, with n − 1 in the variance; 0 for one score. */
export function standardError(scores: readonly number[]): number {
  const { length } = scores;
  if (length < 2) return 0;
  const mean = meanOf(scores);
  return Math.sqrt(scores.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (length - 1) / length);
}

const small = [12.7062, 4.3027, 3.1824, 2.7764];

/** 97.5 % quantile of Student's t, from 5 degrees of freedom by the expansion of Cornish and Fisher, to three digits. */
function t95(degrees: number): number {
  const [z, z3, z5, z7] = [1, 3, 5, 7].map((power) => z95 ** power) as [number, number, number, number];
  const terms = [
    z,
    (z3 + z) / 4,
    (5 * z5 + 16 * z3 + 3 * z) / 96,
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384,
  ];
  return small[degrees - 1] ?? terms.reduce((sum, term, power) => sum + term / degrees ** power, 0);
}

export interface PairedDifference {
  /** tasks that both played */
  readonly tasks: number;
  /** mean of the second score minus the first */
  readonly difference: number;
  /** null for a single task of scores */
  readonly ci95: Interval | null;
  /** of success in one attempt each: exact McNemar test; absent for means */
  readonly p?: number;
}

/** Score of a task under the first policy, then under the second. */
export type Pair = readonly [first: number, second: number];

/** Of scores, such as returns; `bound`: the largest possible difference, such as 1 for shares. Null without pairs. */
export function pairedScores(pairs: readonly Pair[], bound = Infinity): PairedDifference | null {
  if (pairs.length === 0) return null;
  const differences = pairs.map(([first, second]) => second - first);
  const [low, high] = meanInterval(differences) ?? [];
  const ci95 = low === undefined ? null : ([Math.max(-bound, low), Math.min(bound, high!)] as const);
  return { tasks: pairs.length, difference: meanOf(differences), ci95 };
}

/**
 * Of success, 1 for a task that was won and 0 for a lost one: the interval of Agresti and Min (2005), which adds half a task to each
 * of the four outcomes of a pair. It reaches to 0 where the exact test does not reject: so p < 0.05 exactly if 0 lies outside.
 * Null without pairs.
 */
export function pairedWins(pairs: readonly Pair[]): PairedDifference | null {
  const { length } = pairs;
  if (length === 0) return null;
  const gained = pairs.filter(([first, second]) => second > first).length;
  const lost = pairs.filter(([first, second]) => second < first).length;
  const tasks = length + 2;
  const centre = (gained - lost) / tasks;
  const half = z95 * Math.sqrt(((gained + lost + 1) / tasks - centre ** 2) / tasks);
  const p = mcNemar(gained, lost);
  const reached = p < 0.05 ? centre : 0;
  const ci95 = [
    Math.max(-1, Math.min(centre - half, reached)),
    Math.min(1, Math.max(centre + half, reached)),
  ] as const;
  return { tasks: length, difference: (gained - lost) / length, ci95, p };
}

/** Exact two-sided McNemar test: p of so uneven a split of the tasks that one alone won, were both as likely. */
export function mcNemar(firstAlone: number, secondAlone: number): number {
  const count = firstAlone + secondAlone;
  // logarithms, since 2⁻ⁿ is 0 from n = 1075
  let term = count * Math.log(0.5);
  let tail = 0;
  for (let won = 0; won <= Math.min(firstAlone, secondAlone); won++) {
    tail += Math.exp(term);
    term += Math.log((count - won) / (won + 1));
  }
  return Math.min(1, 2 * tail);
}
