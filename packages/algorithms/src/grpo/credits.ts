/** What an update credits each step with: the advantage of its attempt, its own, or both. */
import type { NextState, TracedAttempt } from '@emac/rollout';
import { inGroups, type AttemptGroups, type PlayedAttempt } from './attempts.ts';
import { groupMethodOf } from './group-methods.ts';
import { publishedCredit, type GrpoLossSettings } from './grpo-settings.ts';

export interface StepCredit {
  /** its advantage in the loss */
  readonly advantage: number;
  /** the part of this step alone, without a weight; null if steps are not compared */
  readonly own: number | null;
  /** steps of the group from the same state, this one included; null if steps are not compared */
  readonly alike: number | null;
}

export interface AttemptCredit {
  /** the attempt's, compared with its group */
  readonly advantage: number;
  readonly steps: readonly StepCredit[];
}

/** Every step has the advantage of its attempt; where steps are compared, a weighted sum of that and its own. */
export function creditsOf(
  groups: AttemptGroups,
  { losses, advantages }: { readonly losses: GrpoLossSettings; readonly advantages: ArrayLike<number> },
): AttemptCredit[] {
  const { attempts } = groups;
  const { steps: comparison } = groupMethodOf(losses);
  if (!comparison)
    return attempts.map(({ steps }, attempt) => {
      const advantage = advantages[attempt]!;
      return { advantage, steps: steps.map(() => ({ advantage, own: null, alike: null })) };
    });
  const { credit = publishedCredit, scale } = losses;
  // settings with another scale are refused
  const options = { ...credit, scale: scale === 'none' ? ('none' as const) : ('group' as const) };
  const tracedGroups = inGroups(groups).map((group) => group.map(traced));
  const own = tracedGroups.flatMap((group) => comparison.advantages(group, options));
  const alike = tracedGroups.flatMap(alikeIn);
  const weights = comparison.weights(credit);
  return attempts.map((_, attempt) => {
    const advantage = advantages[attempt]!;
    const steps = own[attempt]!.map((value, step) => ({
      advantage: weights.attempt * advantage + weights.step * value,
      own: value,
      alike: alike[attempt]![step]!,
    }));
    return { advantage, steps };
  });
}

/** A step without an anchor is the only one of its attempt, and all attempts begin alike. */
function traced(attempt: PlayedAttempt): TracedAttempt {
  const { steps, trajectory } = attempt;
  return steps.map(({ anchor = '', reward }, index) => {
    const following = steps[index + 1];
    const next = following ? ({ kind: 'state', anchor: following.anchor ?? '' } as const) : endOf(attempt);
    return { anchor, reward, action: trajectory.steps[index]!.action, next };
  });
}

/** What the last step led to: a cut off attempt would have gone on. */
function endOf({ trajectory: { won, end }, cutOffIn }: PlayedAttempt): NextState {
  if (won) return { kind: 'success' };
  if (end === 'terminated') return { kind: 'failure' };
  return cutOffIn === undefined ? { kind: 'unknown' } : { kind: 'state', anchor: cutOffIn };
}

/** How many steps of the group have the anchor of each. */
function alikeIn(group: readonly TracedAttempt[]): number[][] {
  const counts = new Map<string, number>();
  for (const { anchor } of group.flat()) counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
  return group.map((attempt) => attempt.map(({ anchor }) => counts.get(anchor)!));
}
