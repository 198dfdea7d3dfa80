/**
 * Which steps of an episode are trained on. A failed episode of a weak student is mostly loops, and a model that
 * imitates or prefers on every state of them gets worse (trial with tiny models: success 0.69 → 0.48). So repeated
 * states can be left out, or all but the first few after the student left the expert's path.
 */
import type { Features } from '@emac/core';

/** One state of an episode, what the student said, what the expert says, and what was done. */
export interface LabelledStep {
  readonly gameId: string;
  readonly round: number;
  /** number of the episode in the run, from 0 */
  readonly episode: number;
  /** place in the episode, from 0 */
  readonly index: number;
  readonly features: Features;
  /** what the student read */
  readonly text: string;
  /** the student's command */
  readonly own: string;
  /** the expert's command; null where its reply was unusable, for the `reason` given */
  readonly label: string | null;
  readonly reason?: string;
  /** what the expert thought before it */
  readonly thoughts?: readonly string[];
  /** the command the world got, and its answer */
  readonly command: string;
  readonly observation: string;
  /** commands the world would have accepted */
  readonly admissible?: readonly string[];
}

/**
 * `all` labelled steps; `distinct`: not those that repeat command, observation and label of an earlier one of the
 * episode, nor those that the buffer holds word by word; `departure`: those up to the first one where student and expert differ, and `after` more.
 */
export type StepSelection =
  { readonly keep: 'all' | 'distinct' } | { readonly keep: 'departure'; readonly after: number };

/** The steps of one episode, in order, that a selection keeps. */
export function selectSteps(
  steps: readonly LabelledStep[],
  selection: StepSelection,
): readonly LabelledStep[] {
  switch (selection.keep) {
    case 'all':
      return steps;
    case 'distinct':
      return withoutRepeatedStates(steps);
    case 'departure': {
      const first = steps.findIndex(({ own, label }) => label !== null && own !== label);
      return first < 0 ? steps : steps.slice(0, first + 1 + selection.after);
    }
  }
}

/** The label counts: the same place with another thing to do there is another state. */
function withoutRepeatedStates(steps: readonly LabelledStep[]): readonly LabelledStep[] {
  const seen = new Set<string>();
  return steps.filter((step, place) => {
    const before = steps[place - 1];
    const key = JSON.stringify([before?.command, before?.observation, step.label]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** A step's place in the run and what the student read, as a buffer keeps them. */
export function originOf({ gameId, round, episode, index, text, features }: LabelledStep) {
  return { gameId, round, episode, step: index, text, featuresKey: features.key };
}
