/**
 * Several environments stepped together. One that comes to an end begins its next episode within the same step, and what was
 * seen last is kept: it is what a value is bootstrapped from where an episode was only cut off.
 */
import { EmacError, invariant } from './error.ts';
import type { Frame, NumberArray } from './observation.ts';
import type { Seed, StepEnvironment, StepOutcome } from './step-environment.ts';

export interface VectorOptions {
  /** the seed of the n-th episode, from 0, at a place; null goes on with the place's generator, which the first cannot */
  readonly seedOf: (place: number, episode: number) => Seed | null;
  /** whether what was seen last holds the frame; false by default */
  readonly lastFrames?: boolean;
}

/** What an environment showed. */
export interface Seen {
  readonly text: string;
  readonly arrays: Readonly<Record<string, NumberArray>>;
  /** null where nobody asked for frames */
  readonly frame: Frame | null;
}

export interface VectorOutcome extends StepOutcome {
  /** what was seen at the end of an episode; null where it goes on. The environment itself is in its next episode by then */
  readonly last: Seen | null;
}

/** Plain data if the environments' states are. */
export interface VectorState {
  /** the number of the episode under way, by place */
  readonly episodes: readonly number[];
  readonly environments: readonly unknown[];
}

export interface Vector<Action = number> {
  /** ask these what is seen now */
  readonly environments: readonly StepEnvironment<unknown, Action>[];
  /** Begins episode 0 everywhere. */
  reset(): void;
  /** One action for each environment; outcomes in order. Errors: `internal` for another number of actions, and the environments' own. */
  step(actions: ArrayLike<Action>): VectorOutcome[];
  state(): VectorState;
  /** Errors: `data` for another number of environments, and the environments' own. */
  restore(state: VectorState): void;
}

/** The environments must be distinct objects; from now on the vector alone resets and steps them. */
export function vectorOf<Action = number>(
  environments: readonly StepEnvironment<unknown, Action>[],
  options: VectorOptions,
): Vector<Action> {
  invariant(new Set(environments).size === environments.length, 'vectorOf: an environment is there twice');
  const { seedOf, lastFrames = false } = options;
  const episodes = environments.map(() => 0);
  const seen = (environment: StepEnvironment<unknown, Action>): Seen => ({
    text: environment.text(),
    arrays: environment.observe(),
    frame: lastFrames ? environment.frame() : null,
  });
  return {
    environments,
    reset: () => {
      episodes.fill(0);
      for (const [place, environment] of environments.entries()) environment.reset(seedOf(place, 0));
    },
    step: (actions) => {
      const [given, count] = [actions.length, environments.length];
      invariant(given === count, `vector: needs an action for each of ${count} environments, got ${given}`);
      return environments.map((environment, place) => {
        const outcome = environment.step(actions[place]!);
        if (!outcome.terminated && !outcome.truncated) return { ...outcome, last: null };
        const last = seen(environment);
        environment.reset(seedOf(place, ++episodes[place]!));
        return { ...outcome, last };
      });
    },
    state: () => ({
      episodes: [...episodes],
      environments: environments.map((environment) => environment.state()),
    }),
    restore: (state) => {
      const [found, count] = [state.environments.length, environments.length];
      if (found !== count)
        throw new EmacError('data', `vector: the state is of ${found} environments, there are ${count} here`);
      episodes.splice(0, count, ...state.episodes);
      for (const [place, environment] of environments.entries())
        environment.restore(state.environments[place]);
    },
  };
}
