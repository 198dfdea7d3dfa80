/** The parts of a rollout, its attempts and its events. */
import type {
  Answer,
  Environment,
  Expert,
  Label,
  MaybeAsync,
  Observation,
  Policy,
  Prompt,
  Random,
  Sampling,
  Speech,
  Step,
  Task,
  Trajectory,
  TrajectoryStep,
} from '@emac/core';

export interface ActingPolicy extends Pick<Policy, 'encode' | 'decide'> {
  /** as in `Policy`; may also encode pictures */
  promptOf?(observation: Observation): MaybeAsync<Prompt>;
}

export interface Rollout {
  readonly environment: Pick<Environment, 'begin'>;
  readonly policy: ActingPolicy;
  readonly texts: Speech;
  readonly sampling: Sampling;
  /** labels every state; null for none */
  readonly expert: Expert | null;
  /** ask the policy even where the expert acts; false only if the expert always acts */
  readonly asksPolicy: boolean;
  /** step limit; the episode is truncated after it */
  readonly maxSteps: number;
  /** ends an episode once its newest command equals the one before, or its newest four are A B A B */
  readonly stopRepeating: boolean;
  /** restrict the policy to the commands the environment accepts */
  readonly admissibleOnly: boolean;
  /** the policy also reads the lessons from failed attempts */
  readonly policyMemory: boolean;
  /**
   * probability, per step, that one of the commands the environment accepts is taken instead, all alike (noise of a
   * demonstration, arXiv 1703.09327); labels stay the expert's. Default 0; without a list of commands never
   */
  readonly randomActions?: number;
  /** concurrent episodes, at most */
  readonly parallel: number;
  readonly report?: (event: RolloutEvent) => void | Promise<void>;
  readonly signal?: AbortSignal;
  /** plays the episodes in other processes; this process then only replays the recordings */
  readonly elsewhere?: Elsewhere | undefined;
}

/** Other processes that play episodes. */
export interface Elsewhere {
  /**
   * Plays attempts. Each comes back once, with its index among them, in any order. Ends when the caller stops iterating
   * or the rollout's signal fires.
   */
  play(
    setup: Rollout,
    attempts: readonly Attempt[],
  ): AsyncIterable<readonly [place: number, episode: RecordedEpisode]>;
  /** workers label what they play; if false, the expert is asked here after the episode and may not act in it */
  readonly labels: boolean;
}

/** A played episode: its actions and everything the environment returned. */
export interface RecordedEpisode {
  /** observation before the first action; empty if the environment failed at reset */
  readonly first: Observation;
  readonly steps: readonly RecordedStep[];
  /** why a lost episode failed, in a sentence; else null */
  readonly fault: string | null;
}

export interface RecordedStep extends Pick<MadeStep, 'answer' | 'label' | 'action'> {
  readonly result: Step;
}

/** Receives the trajectory of an attempt, by its index among those asked for. */
export type Done = (place: number, trajectory: Trajectory) => Promise<void> | void;

/** One episode to play. */
export interface Attempt {
  readonly task: Task;
  /** identifies the attempt in events */
  readonly number: number;
  /** generator of every draw in the attempt */
  readonly random: Random;
  /** environment seed, equal in attempts that begin alike; absent: the names of `random` */
  readonly seed?: string;
  /** lessons from failed attempts, oldest first */
  readonly memories: readonly string[];
  /** probability that the expert acts, per step */
  readonly expertShare: number;
  /** steps made before an interruption, replayed as they were; new steps are appended */
  readonly made: MadeStep[];
}

/** A step, as stored to be replayed after an interruption. Observations come back from the environment. */
export interface MadeStep {
  readonly answer: Answer | null;
  readonly label: Label | null;
  readonly action: string;
  /** text of the next observation */
  readonly observation: string;
}

/** Progress events; each names its attempt. */
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
      /** index in the episode, from 0 */
      readonly index: number;
      readonly step: TrajectoryStep;
    }
  | { readonly kind: 'episode-end'; readonly number: number; readonly trajectory: Trajectory };
