/**
 * An environment that runs here and is stepped fast, such as a grid world or a card game: actions are numbers, or
 * whatever else it takes, what is seen is arrays, and pictures are drawn where somebody asks for one. `environmentOf` puts one with numbered actions
 * behind the contract of `Environment`, `vectorOf` steps several together. A `Steppable` is the same with steps that may take time.
 */
import type { Info } from './environment.ts';
import type { EpisodeMoment } from './history.ts';
import type { MaybeAsync } from './maybe-async.ts';
import type { Frame, NumberArray } from './observation.ts';

/** A whole number from 0; above 2⁵³ as a bigint. */
export type Seed = number | bigint;

/** What one action brought; what is seen now is asked of the environment. */
export interface StepOutcome {
  readonly reward: number;
  /** the episode has come to an end of its own, good or bad */
  readonly terminated: boolean;
  /** the limit of steps is reached; an episode may end in both ways at once */
  readonly truncated: boolean;
  readonly info: Info;
}

/** `State` is plain data that survives JSON. */
export interface StepEnvironment<State = unknown, Action = number> {
  /** as published, e.g. `MiniGrid-DoorKey-6x6-v0` */
  readonly id: string;
  /** the actions in words; an action is its place in this list. Empty where actions are not numbered, such as a robot's */
  readonly actions: readonly string[];
  /**
   * Begins an episode; returns what is known of it. With a seed chance begins anew, with null it goes on where it is. Errors: `usage`
   * for what is no seed, `internal` for null where there was no seed before.
   */
  reset(seed: Seed | null): Info;
  /** Acts. Errors: `usage` for what is no action, `internal` before the first reset. */
  step(action: Action): StepOutcome;
  /** What is seen now in words, such as a mission; empty where there is nothing to say. */
  text(): string;
  /** What is seen now in numbers: arrays of the caller's own, by name. */
  observe(): Readonly<Record<string, NumberArray>>;
  /** What is seen now as a picture of the caller's own, drawn when this is called. */
  frame(): Frame;
  /** Everything that decides what follows, in the middle of an episode too: the world and the generator. */
  state(): State;
  /** Goes on where the state was taken. Errors: `data` for one of another environment. */
  restore(state: State): void;
}

/**
 * What a vector steps: a `StepEnvironment`, or an environment whose episodes begin and go on elsewhere. Between two steps it answers at once
 * what it shows.
 */
export interface Steppable<State = unknown, Action = number> extends Omit<
  StepEnvironment<State, Action>,
  'reset' | 'step' | 'restore'
> {
  /** As `StepEnvironment` has them. Errors also: `LostEpisode` where the environment fails; the next `reset` or `restore` begins anew. */
  reset(seed: Seed | null): MaybeAsync<Info>;
  step(action: Action): MaybeAsync<StepOutcome>;
  restore(state: State): MaybeAsync<void>;
  /** The episode so far, for prompts made of it; absent: prompts are made of what is seen now. */
  moment?(): EpisodeMoment;
  /** Leaves the episode under way and frees what it holds; absent: it holds nothing. */
  close?(): Promise<void>;
}
