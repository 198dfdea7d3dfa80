/**
 * An environment in this process with fast steps, such as a grid world or a card game: actions are numbers, or another type; observations are
 * arrays, and pictures are rendered on request. `commandedEpisodes` steps one by commands in words, `vectorOf` steps several
 * together. A `Steppable` is the same with steps that may be asynchronous.
 */
import type { Info } from './environment.ts';
import type { EpisodeMoment } from './history.ts';
import type { MaybeAsync } from './maybe-async.ts';
import type { Frame, NumberArray } from './observation.ts';

/** A whole number from 0; above 2⁵³ as a bigint. */
export type Seed = number | bigint;

/** The result of one action; call the environment for the new observation. */
export interface StepOutcome {
  readonly reward: number;
  /** the episode ended by itself, good or bad */
  readonly terminated: boolean;
  /** the step limit is reached; an episode may end in both ways at once */
  readonly truncated: boolean;
  readonly info: Info;
  /** of an environment with a goal: whether the episode is won; absent: a return above 0 is success */
  readonly won?: boolean;
}

/** `State` is plain data that survives JSON. */
export interface StepEnvironment<State = unknown, Action = number> {
  /** as published, e.g. `MiniGrid-DoorKey-6x6-v0` */
  readonly id: string;
  /** names of the actions; an action is its index. Empty if actions are not numbered, such as a robot's */
  readonly actions: readonly string[];
  /**
   * Starts an episode; returns its info. A seed restarts the random generator, null continues it. Errors: `usage` for an invalid
   * seed, `internal` for null without an earlier seed.
   */
  reset(seed: Seed | null): Info;
  /** Acts. Errors: `usage` for an invalid action, `internal` before the first reset. */
  step(action: Action): StepOutcome;
  /** The observation in words, such as a mission; may be empty. */
  text(): string;
  /** The observation in numbers: fresh arrays, by name. */
  observe(): Readonly<Record<string, NumberArray>>;
  /** The observation as a picture, rendered by this call into a fresh frame. */
  frame(): Frame;
  /** Everything that decides the future, also within an episode: the world and the generator. */
  state(): State;
  /** Continues from a state. Errors: `data` for a state of another environment. */
  restore(state: State): void;
}

/**
 * An element of a vector: a `StepEnvironment`, or an environment whose episodes run elsewhere. Between steps its observations are available
 * synchronously.
 */
export interface Steppable<State = unknown, Action = number> extends Omit<
  StepEnvironment<State, Action>,
  'reset' | 'step' | 'restore'
> {
  /** As in `StepEnvironment`. Errors also: `LostEpisode` if the environment fails; the next `reset` or `restore` recovers. */
  reset(seed: Seed | null): MaybeAsync<Info>;
  step(action: Action): MaybeAsync<StepOutcome>;
  restore(state: State): MaybeAsync<void>;
  /** The episode so far, for prompts made from it; absent: prompts use the current observation only. */
  moment?(): EpisodeMoment;
  /** Leaves the current episode and frees resources; absent: there are none. */
  close?(): Promise<void>;
}
