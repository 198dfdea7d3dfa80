/**
 * Advantages of single steps by the graph of all attempts of a group (GraphGPO, arXiv 2605.26684): its nodes are states,
 * its edges actions between consecutive states. A step is worth more the nearer it leads to success, on the shortest way
 * that any attempts of the group together have found. So a good step counts in a lost attempt too.
 *
 * Choices where the formula is silent: success is a node of its own, which only the last step of a won attempt leads to,
 * since an environment may show the same before and after it. Equal steps, from one state by one action to one state,
 * are one edge, so a repeated step has no more weight in the mean. The deviation has n − 1.
 */
import { standardized, type AnchoredStep, type StepAdvantageOptions } from './step-advantages.ts';

/** A step of an attempt, and what it led to. */
export interface TracedStep extends AnchoredStep {
  /** the action that was executed */
  readonly action: string;
  readonly next: NextState;
}

/**
 * The state after a step: one in which an attempt goes on or was cut off, success, or an end without success. `unknown`:
 * cut off in a state without a name.
 */
export type NextState =
  { readonly kind: 'state'; readonly anchor: string } | { readonly kind: 'success' | 'failure' | 'unknown' };

/** The steps of one attempt, in order. */
export type TracedAttempt = readonly TracedStep[];

/** Equal steps of a group. */
interface Edge {
  /** R */
  readonly worth: number;
  readonly places: (readonly [attempt: number, step: number])[];
}

/**
 * A_G: the worth R = ω^(d(s′) + 1) of a step to s′, less the mean over all edges from its state, over their deviation if
 * asked. ω is the discount; a step after which no attempt found success is worth 0. A state that one edge alone leaves gives
 * 0, and so does a step to an unknown state, which is no edge. Returns one list for each attempt, one number for each step.
 */
export function graphAdvantages(
  group: readonly TracedAttempt[],
  { discount, scale }: StepAdvantageOptions,
): number[][] {
  const distances = distancesToSuccess(group);
  const advantages = group.map((attempt) => Array<number>(attempt.length).fill(0));
  for (const edges of edgesByState(group, (next) => worthOf(next, { distances, discount })).values()) {
    const found = standardized(
      edges.map(({ worth }) => worth),
      { scale, lost: 1 },
    );
    edges.forEach(({ places }, index) => {
      for (const [attempt, step] of places) advantages[attempt]![step] = found[index]!;
    });
  }
  return advantages;
}

interface Distances {
  /** d(s) of each state from which success was reached */
  readonly distances: ReadonlyMap<string, number>;
  readonly discount: number;
}

/** The reward of success is 1, and a step costs 1. */
function worthOf(next: NextState, { distances, discount }: Distances): number {
  if (next.kind === 'success') return discount;
  const distance = next.kind === 'state' ? distances.get(next.anchor) : undefined;
  return distance === undefined ? 0 : discount ** (distance + 1);
}

/** d(s): the fewest edges from a state to success; states from which there is no way are missing. */
export function distancesToSuccess(group: readonly TracedAttempt[]): Map<string, number> {
  const before = new Map<string, Set<string>>();
  const distances = new Map<string, number>();
  for (const { anchor, next } of group.flat()) {
    if (next.kind === 'success') distances.set(anchor, 1);
    if (next.kind === 'state') added(before, next.anchor, () => new Set<string>()).add(anchor);
  }
  // a map is walked in the order of its entries, those added on the way included: nearest states first
  for (const [state, distance] of distances)
    for (const earlier of before.get(state) ?? [])
      if (!distances.has(earlier)) distances.set(earlier, distance + 1);
  return distances;
}

function edgesByState(
  group: readonly TracedAttempt[],
  worthOfNext: (next: NextState) => number,
): Map<string, Edge[]> {
  const states = new Map<string, Map<string, Edge>>();
  group.forEach((attempt, which) =>
    attempt.forEach(({ anchor, action, next }, step) => {
      if (next.kind === 'unknown') return;
      const edges = added(states, anchor, () => new Map<string, Edge>());
      const key = JSON.stringify([action, next]);
      added(edges, key, () => ({ worth: worthOfNext(next), places: [] })).places.push([which, step]);
    }),
  );
  return new Map([...states].map(([state, edges]) => [state, [...edges.values()]]));
}

/** The value of a key, made if it is missing. */
function added<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
