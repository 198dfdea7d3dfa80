/** Demonstrations of a robot's scripted controller, step after step, from initial states for training. */
import { Random } from '@emac/core';
import { trainingSeed } from '@emac/rollout';
import type { Action, Tabletop } from '@emac/tabletop';
import type { EnvironmentCollectionConfig } from '../config/environment-collection-config.ts';
import { demonstrationSize, robotEnvironment } from '../reinforcement/robots.ts';

export type Demonstrating = Pick<
  EnvironmentCollectionConfig,
  'env' | 'seed' | 'samples' | 'maxSteps' | 'randomActions' | 'labelNoise' | 'validation' | 'actionSteps'
>;

export interface DemonstratedStep {
  /** stands before the step until `act` */
  readonly environment: Tabletop;
  /** the label */
  readonly action: Action;
  /** what is asked for */
  readonly instruction: string;
  /** `<environment>/<task>/<state>` */
  readonly start: string;
  /** the label is not the controller's, on purpose */
  readonly isNoisy: boolean;
  /** its number */
  readonly episode: number;
  /** Acts, once: the label, or what leads astray; also done when the next step is asked for. */
  readonly act: () => ReturnType<Tabletop['step']>;
}

/** As many steps as are asked for; the last episode is cut off there. Errors: `usage`. */
export function* demonstratedSteps(config: Demonstrating): Generator<DemonstratedStep, void, undefined> {
  const { env, maxSteps, labelNoise, randomActions, actionSteps } = config;
  const size = demonstrationSize;
  const environment = robotEnvironment(env, { split: 'train', isCounted: false, maxSteps, size });
  const random = Random.fromSeed(config.seed).stream('collect');
  let left = config.samples;
  for (let episode = 0; left > 0; episode++) {
    const chance = random.stream('play').stream(episode);
    environment.reset(trainingSeed(random, 0, episode));
    const { task, state } = environment.start;
    const of = { environment, start: `${env}/${task}/${state}`, episode };
    for (let isOver = false; !isOver && left > 0; left--) {
      const [isNoisy, isAstray] = [chance.uniform() < labelNoise, chance.uniform() < randomActions];
      const best = environment.expert({ steps: actionSteps });
      const other = rounded(drawn(best, chance), actionSteps);
      const act = once(() => environment.step(isAstray ? other : best));
      yield { ...of, action: isNoisy ? other : best, instruction: environment.text(), isNoisy, act };
      const { terminated, truncated } = act();
      isOver = terminated || truncated;
    }
  }
}

function once<T extends object>(work: () => T): () => T {
  let done: T | null = null;
  return () => (done ??= work());
}

/** Any motion of the hand, with the turn and the fingers of this one. */
function drawn(action: Action, random: Random): Action {
  return action.map((value, place) => (place < 3 ? 2 * random.uniform() - 1 : value));
}

/** To so many steps a unit; as it is where that is null. */
function rounded(action: Action, steps: number | null): Action {
  // never −0
  return steps === null ? action : action.map((value) => Math.round(value * steps) / steps + 0);
}
