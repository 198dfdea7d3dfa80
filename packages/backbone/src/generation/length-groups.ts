/**
 * Groups prompts into runs. All prompts of a run are padded to its longest, and every run has a fixed cost. So prompts,
 * sorted by length, are split where padding would cost more than another run: dynamic programming over the split
 * points.
 */

/** The cheapest grouping of the prompts up to the last one of a group. */
interface Choice {
  /** in positions, padding included */
  readonly cost: number;
  /** how many prompts precede the group */
  readonly before: number;
}

/** Indices into `lengths`, in groups; `runCost` is the cost of one more run, in computed positions. */
export function lengthGroups(lengths: readonly number[], runCost: number): number[][] {
  const order = lengths.map((_, place) => place).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  const choices: Choice[] = [{ cost: 0, before: 0 }];
  for (let end = 1; end <= order.length; end++) {
    const longest = lengths[order[end - 1]!]!;
    const options = choices.map(({ cost }, before) => ({
      cost: cost + (before > 0 ? runCost : 0) + (end - before) * longest,
      before,
    }));
    choices.push(options.reduce((best, option) => (option.cost < best.cost ? option : best)));
  }
  const groups: number[][] = [];
  for (let end = order.length; end > 0; end = choices[end]!.before)
    groups.unshift(order.slice(choices[end]!.before, end));
  return groups;
}
