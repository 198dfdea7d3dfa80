/**
 * Steps several environments together. A finished one begins its next episode within the same step. Its last observation is kept, to bootstrap a value
 * after a truncation. Asynchronous steps run concurrently and the vector waits for all; synchronous ones involve no waiting.
 */
import { EmacError, invariant } from './error.ts';
import type { EpisodeMoment } from './history.ts';
import type { Frame, NumberArray } from './observation.ts';
import { afterwards, eachOf, type MaybeAsync } from './maybe-async.ts';
import type { Seed, StepOutcome, Steppable } from './step-environment.ts';

export interface VectorOptions {
  /** the seed of the n-th episode, from 0, at a place; null continues the place's generator, which the first episode cannot */
  readonly seedOf: (place: number, episode: number) => Seed | null;
  /** whether the last observation includes the frame; false by default */
  readonly lastFrames?: boolean;
  /** receives an episode's outcome before the next seed at its place is requested */
  readonly ended?: (place: number, outcome: StepOutcome) => void;
}

/** An environment's observation. */
export interface Seen {
  readonly text: string;
  readonly arrays: Readonly<Record<string, NumberArray>>;
  /** null unless frames are requested */
  readonly frame: Frame | null;
  /** the episode so far, if the environment provides it */
  readonly moment?: EpisodeMoment;
}

export interface VectorOutcome extends StepOutcome {
  /** the last observation of a finished episode; null if it continues. The environment itself is then in its next episode */
  readonly last: Seen | null;
}

/** Plain data if the environments' states are. */
export interface VectorState {
  /** the number of the current episode, by place */
  readonly episodes: readonly number[];
  readonly environments: readonly unknown[];
}

export interface Vector<Action = number> {
  /** the environments, for their current observations */
  readonly environments: readonly Steppable<unknown, Action>[];
  /** Starts episode 0 everywhere. */
  reset(): MaybeAsync<void>;
  /**
   * One action per environment; outcomes in order. Errors: `internal` for another number of actions, and the environments' own: the first in order, after
   * all running steps have finished.
   */
  step(actions: ArrayLike<Action>): MaybeAsync<VectorOutcome[]>;
  state(): VectorState;
  /** Errors: `data` for another number of environments, and the environments' own. */
  restore(state: VectorState): MaybeAsync<void>;
  /** Leaves the current episodes. */
  close(): Promise<void>;
}

/** The environments must be distinct objects; from now on the vector alone resets and steps them. */
export function vectorOf<Action = number>(
  environments: readonly Steppable<unknown, Action>[],
  { seedOf, lastFrames = false, ended }: VectorOptions,
): Vector<Action> {
  invariant(
    new Set(environments).size === environments.length,
    'vectorOf: environments must be different objects',
  );
  const episodes = environments.map(() => 0);
  const begin = (environment: Steppable<unknown, Action>, place: number) =>
    environment.reset(seedOf(place, episodes[place]!));
  const afterStep = (outcome: StepOutcome, place: number): MaybeAsync<VectorOutcome> => {
    if (!outcome.terminated && !outcome.truncated) return { ...outcome, last: null };
    const last = seenOf(environments[place]!, { frames: lastFrames });
    ended?.(place, outcome);
    episodes[place]!++;
    return afterwards(begin(environments[place]!, place), () => ({ ...outcome, last }));
  };
  return {
    environments,
    reset: () => {
      episodes.fill(0);
      return afterwards(eachOf(environments, begin), () => {});
    },
    step: (actions) => {
      const [given, count] = [actions.length, environments.length];
      invariant(given === count, `vector: needs ${count} actions, one per environment, got ${given}`);
      const stepped = eachOf(environments, (environment, place) => environment.step(actions[place]!));
      return afterwards(stepped, (outcomes) => eachOf(outcomes, afterStep));
    },
    state: () => ({
      episodes: [...episodes],
      environments: environments.map((environment) => environment.state()),
    }),
    restore: (state) => {
      const [found, count] = [state.environments.length, environments.length];
      if (found !== count)
        throw new EmacError('data', `vector: the state must be of ${count} environments, got ${found}`);
      episodes.splice(0, count, ...state.episodes);
      const restored = eachOf(environments, (environment, place) =>
        environment.restore(state.environments[place]),
      );
      return afterwards(restored, () => {});
    },
    close: async () => void (await eachOf(environments, (environment) => environment.close?.())),
  };
}

/** An environment's current observation. */
export function seenOf<Action>(
  environment: Pick<Steppable<unknown, Action>, 'text' | 'observe' | 'frame' | 'moment'>,
  { frames }: { readonly frames: boolean },
): Seen {
  const seen = {
    text: environment.text(),
    arrays: environment.observe(),
    frame: frames ? environment.frame() : null,
  };
  return environment.moment ? { ...seen, moment: environment.moment() } : seen;
}
