/** Demonstrations of a robot's scripted controller, step by step, from initial states for training. */
import { Random, type MovedEnvironment } from '@emac/core';
import { encodePng } from '@emac/images';
import { movedWorld } from '@emac/opening';
import { trainingSeed } from '@emac/rollout';
import type { EnvironmentCollectionConfig } from './environment-collection-config.ts';
import { stepsOf } from './played-steps.ts';

export type Demonstrating = Pick<
  EnvironmentCollectionConfig,
  'env' | 'seed' | 'samples' | 'maxSteps' | 'randomActions' | 'labelNoise' | 'validation' | 'actionSteps'
>;

export interface DemonstratedStep {
  /** PNG of the view before the action; call it, and `state`, before `outcome` and before the next step */
  readonly picture: () => Promise<Uint8Array>;
  /** the hand's eight numbers before the action */
  readonly state: () => Float32Array;
  /** the label */
  readonly action: readonly number[];
  /** the instruction */
  readonly instruction: string;
  /** `<environment>/<task>/<state>` */
  readonly start: string;
  /** whether the label is deliberately not the controller's */
  readonly isNoisy: boolean;
  /** the episode's number */
  readonly episode: number;
  /** of the label, or of a distracting random action */
  readonly outcome: () => Pick<ReturnType<MovedEnvironment['step']>, 'reward' | 'terminated'>;
}

/** The requested number of steps; truncates the last episode. Errors: `usage`. */
export function demonstratedSteps(config: Demonstrating): Iterable<DemonstratedStep> {
  const episode = demonstrator(config);
  return stepsOf(config.samples, episode);
}

/** Plays the episode of a number to its end. Errors: `usage`. */
export function demonstrator(
  config: Omit<Demonstrating, 'samples' | 'validation'>,
): (episode: number) => Iterable<DemonstratedStep> {
  const { env, maxSteps, seed } = config;
  const starts = { set: 'training', isCounted: false } as const;
  const environment = movedWorld(env).make({ maxSteps, palette: null, starts });
  const random = Random.fromSeed(seed).stream('collect');
  return (episode) => demonstratedEpisode(environment, config, { episode, random });
}

interface Place {
  readonly episode: number;
  readonly random: Random;
}

function* demonstratedEpisode(
  environment: MovedEnvironment,
  { env, labelNoise, randomActions, actionSteps }: Omit<Demonstrating, 'samples' | 'validation'>,
  { episode, random }: Place,
): Generator<DemonstratedStep> {
  const chance = random.stream('play').stream(episode);
  environment.reset(trainingSeed(random, 0, episode));
  const { task, state } = environment.start;
  const of = {
    picture: () => encodePng(environment.frame()),
    state: () => Float32Array.from(environment.observe().state.data),
    start: `${env}/${task}/${state}`,
    episode,
  };
  for (let isOver = false; !isOver;) {
    const [isNoisy, isAstray] = [chance.uniform() < labelNoise, chance.uniform() < randomActions];
    const best = environment.expert({ steps: actionSteps });
    const other = rounded(drawn(best, chance), actionSteps);
    const outcome = once(() => environment.step(isAstray ? other : best));
    yield { ...of, action: isNoisy ? other : best, instruction: environment.text(), isNoisy, outcome };
    const { terminated, truncated } = outcome();
    isOver = terminated || truncated;
  }
}

function once<T extends object>(work: () => T): () => T {
  let done: T | null = null;
  return () => (done ??= work());
}

/** A random motion of the hand, with this action's rotation and gripper. */
function drawn(action: readonly number[], random: Random): readonly number[] {
  return action.map((value, place) => (place < 3 ? 2 * random.uniform() - 1 : value));
}

/** Rounds to this many steps per unit; null does not round. */
function rounded(action: readonly number[], steps: number | null): readonly number[] {
  // avoids −0
  return steps === null ? action : action.map((value) => Math.round(value * steps) / steps + 0);
}
