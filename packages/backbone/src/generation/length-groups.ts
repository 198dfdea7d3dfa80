/**
 * Which prompts share a run. All prompts of a run are padded to its longest, and every run has costs of its own, so
 * prompts in the order of their lengths are cut where padding would cost more than another run: dynamic programming
 * over the places to cut.
 */

/** Of a group that ends with one prompt, the cheapest choice of the groups up to it. */
interface Choice {
  /** in positions, padding included */
  readonly cost: number;
  /** how many prompts come before the group */
  readonly before: number;
}

/** Places of `lengths`, in groups; `runCost` is what one more run costs, in positions computed. */
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
