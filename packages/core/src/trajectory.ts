/** What a rollout returns. Buffers, probes, datasets, logs and algorithms read it, each what it needs. */
import type { Step, Task } from './environment.ts';
import type { Label } from './expert.ts';
import type { Observation } from './observation.ts';
import type { Answer } from './policy.ts';
import type { Prompt } from './prompt.ts';

/** One decision and what came of it. */
export interface TrajectoryStep<Action = string> {
  /** what was seen */
  readonly observation: Observation;
  /** what the policy read; null where nobody encodes for it */
  readonly prompt: Prompt | null;
  /** what the policy said; null where it was not asked */
  readonly answer: Answer | null;
  /** the action in that answer; null where it names none, or the policy was not asked */
  readonly own: Action | null;
  /** what the expert would have done; null where none was asked */
  readonly label: Label | null;
  /** what the environment got */
  readonly action: Action;
  readonly actor: 'policy' | 'expert';
  /** what the environment gave */
  readonly result: Step;
}

/**
 * Why an episode ended: by itself, by the environment's limit, because it went in circles, because a label that was
 * needed to act was unusable, or because the environment failed: then it says nothing of who acted.
 */
export type TrajectoryEnd = 'terminated' | 'truncated' | 'repeated' | 'unlabelled' | 'lost';

/** One episode from its first observation to its end. */
export interface Trajectory<Action = string> {
  readonly task: Task;
  readonly first: Observation;
  readonly steps: readonly TrajectoryStep<Action>[];
  readonly end: TrajectoryEnd;
  readonly won: boolean;
  /** of an episode that is lost: what failed, in a sentence */
  readonly fault?: string;
}
