/**
 * Selects the steps of an episode to train on. A failed episode of a weak policy is mostly loops, and training on every
 * state of them hurts (trial with tiny models: success 0.69 → 0.48). So repeated states can be skipped, or all but the
 * first few after the policy left the expert's path.
 */
import type { TrajectoryStep } from '@emac/core';
import { labelled } from '@emac/rollout';

/**
 * `all` labelled steps. `distinct`: skips steps whose command, observation and label (with numeric observations:
 * numbers and label) repeat an earlier step, or whose text is in the buffer. `departure`: up to the first step where
 * policy and expert differ, and `after` more.
 */
export type StepSelection =
  { readonly keep: 'all' | 'distinct' } | { readonly keep: 'departure'; readonly after: number };

export interface SelectedStep {
  /** place in the episode, from 0 */
  readonly index: number;
  readonly step: TrajectoryStep;
}

/** The steps of one episode, in order, that a selection keeps. */
export function selectSteps(
  steps: readonly TrajectoryStep[],
  selection: StepSelection,
): readonly SelectedStep[] {
  const all = steps.map((step, index) => ({ index, step }));
  switch (selection.keep) {
    case 'all':
      return all;
    case 'distinct':
      return withoutRepeatedStates(all);
    case 'departure': {
      const first = steps.findIndex(({ own, label }) => labelled(label) !== null && own !== labelled(label));
      return first < 0 ? all : all.slice(0, first + 1 + selection.after);
    }
  }
}

/** The label counts: the same place with another label is another state. */
function withoutRepeatedStates(steps: readonly SelectedStep[]): readonly SelectedStep[] {
  const seen = new Set<string>();
  return steps.filter(({ index, step }) => {
    const before = steps[index - 1]?.step;
    const seenNow = numbersOf(step.observation) ?? [before?.action, before?.result.observation.text];
    const key = JSON.stringify([...seenNow, labelled(step.label)]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Numeric observations, which distinguish states with equal words; null without any. */
function numbersOf({ arrays }: TrajectoryStep['observation']): readonly unknown[] | null {
  return arrays ? Object.entries(arrays).map(([name, { data }]) => [name, ...data]) : null;
}
