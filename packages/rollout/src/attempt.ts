/** What a rollout is made of, what it is asked for, and what it tells as it goes. */
import type {
  Answer,
  Environment,
  Expert,
  Label,
  Observation,
  Policy,
  Random,
  Sampling,
  Speech,
  Step,
  Task,
  Trajectory,
  TrajectoryStep,
} from '@emac/core';

export interface Rollout {
  readonly environment: Environment;
  readonly policy: Pick<Policy, 'encode' | 'decide'>;
  readonly texts: Speech;
  readonly sampling: Sampling;
  /** labels every state; null for none */
  readonly expert: Expert | null;
  /** the policy is asked also where the expert acts; false only where the expert always does */
  readonly asksPolicy: boolean;
  /** commands after which an episode is truncated */
  readonly maxSteps: number;
  /** ends an episode whose newest command equals the one before, or whose newest four are A B A B */
  readonly stopRepeating: boolean;
  /** the policy is kept to the commands which the environment accepts */
  readonly admissibleOnly: boolean;
  /** the policy also reads the lessons from failed attempts */
  readonly policyMemory: boolean;
  /** episodes under way at once, at most */
  readonly parallel: number;
  readonly report?: (event: RolloutEvent) => void | Promise<void>;
  readonly signal?: AbortSignal;
  /** who plays the episodes in place of this process; here they are then only gone through once more, as they were */
  readonly elsewhere?: Elsewhere | undefined;
}

/** Other processes that play. */
export interface Elsewhere {
  /** Plays attempts: each comes back once, with its place among them, in any order. Whoever stops asking for more, and the signal of the rollout, ends it. */
  play(
    setup: Rollout,
    attempts: readonly Attempt[],
  ): AsyncIterable<readonly [place: number, episode: RecordedEpisode]>;
  /** they label what they play; else the expert of the rollout is asked here, once an episode has come, and may not be needed to act in it */
  readonly labels: boolean;
}

/** An episode as it was played: what was done in it, and everything that the environment said. */
export interface RecordedEpisode {
  /** what was seen before the first action; nothing where the environment failed before that */
  readonly first: Observation;
  readonly steps: readonly RecordedStep[];
  /** of an episode that is lost: what failed, in a sentence; else null */
  readonly fault: string | null;
}

export interface RecordedStep extends Pick<MadeStep, 'answer' | 'label' | 'action'> {
  readonly result: Step;
}

/** One episode to play. */
export interface Attempt {
  readonly task: Task;
  /** tells it from the others in events */
  readonly number: number;
  /** of every draw in it */
  readonly random: Random;
  /** what its environment begins with, the same in attempts that begin alike; absent: the names of `random` */
  readonly seed?: string;
  /** lessons from failed attempts, oldest first */
  readonly memories: readonly string[];
  /** probability that the expert acts, at each step */
  readonly expertShare: number;
  /** steps that were made before an interruption and are made again as they were; new ones are added */
  readonly made: MadeStep[];
}

/** What there is to know of a step to make it again: what was read and seen comes back from the environment. */
export interface MadeStep {
  readonly answer: Answer | null;
  readonly label: Label | null;
  readonly action: string;
  /** of the observation that followed */
  readonly observation: string;
}

/** What happens while episodes are played; each names its attempt. */
export type RolloutEvent =
  | {
      readonly kind: 'episode-start';
      readonly number: number;
      readonly task: Task;
      readonly first: Observation;
    }
  | {
      readonly kind: 'step';
      readonly number: number;
      readonly task: Task;
      /** place in the episode, from 0 */
      readonly index: number;
      readonly step: TrajectoryStep;
    }
  | { readonly kind: 'episode-end'; readonly number: number; readonly trajectory: Trajectory };

/** A step as it is kept for an interruption. */
export function madeStep({ answer, label, action, result }: MadeFrom): MadeStep {
  return { answer, label, action, observation: result.observation.text };
}

type MadeFrom = Pick<TrajectoryStep, 'answer' | 'label' | 'action'> & { readonly result: Step };
