/** The result of a rollout, read by buffers, probes, datasets, logs and algorithms. */
import type { Step, Task } from './environment.ts';
import type { Label } from './expert.ts';
import type { Observation } from './observation.ts';
import type { Answer } from './policy.ts';
import type { Prompt } from './prompt.ts';

/** One decision and its result. */
export interface TrajectoryStep {
  /** the observation before the action */
  readonly observation: Observation;
  /** the policy's prompt; null if the step was not encoded */
  readonly prompt: Prompt | null;
  /** the policy's answer; null if it was not asked */
  readonly answer: Answer | null;
  /** the action in that answer; null if it names none, or the policy was not asked */
  readonly own: string | null;
  /** the expert's label; null if no expert was asked */
  readonly label: Label | null;
  /** the action that was executed */
  readonly action: string;
  readonly actor: 'policy' | 'expert';
  /** the environment's result */
  readonly result: Step;
}

/**
 * Why an episode ended: by itself, by the environment's limit, because it repeated itself, because a label needed for
 * acting was unusable, or because the environment failed. A failed one says nothing about its policy.
 */
export type TrajectoryEnd = 'terminated' | 'truncated' | 'repeated' | 'unlabelled' | 'lost';

/** One episode from its first observation to its end. */
export interface Trajectory {
  readonly task: Task;
  readonly first: Observation;
  readonly steps: readonly TrajectoryStep[];
  readonly end: TrajectoryEnd;
  readonly won: boolean;
  /** for a lost episode: the failure, in one sentence */
  readonly fault?: string;
}
