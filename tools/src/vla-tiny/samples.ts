/**
 * Training samples of vla-tiny: a scripted controller with disturbed motions solves the spatial suite's tasks in
 * similar scenes. Each sample has a picture of the table and an undisturbed controller's next action, in steps of a
 * quarter. The suite's own fifty initial states are never shown.
 */
import type { Frame, Random } from '@emac/core';
import {
  statesPerTask,
  tabletop,
  tasksPerSuite,
  type Action,
  type Scene,
  type Tabletop,
} from '@emac/tabletop';
import { vlaPrompt } from '@emac/vla';

export interface Sample {
  readonly frame: Frame;
  readonly prompt: string;
  /** as the environment takes it */
  readonly action: Action;
  readonly scene: Scene;
}

/** Shares of disturbed episodes: how far each number of a motion may be off. */
const wandering = [0.1, 0.2, 0.4, 0.6] as const;
/** Share of steps that are taken at random, and of steps that are shown. */
const [astray, shown] = [0.1, 0.6];
/** a quarter is two centimetres */
export const actionSteps = 4;

/** Samples without end; a generator of the same name gives the same ones. */
export function* samples(random: Random): Generator<Sample, never> {
  const environment = tabletop('tabletop/spatial', { maxSteps: 30 });
  for (;;) {
    environment.begin({ task: random.integer(tasksPerSuite), state: statesPerTask + random.uint32() });
    yield* episode(environment, random);
  }
}

function* episode(environment: Tabletop, random: Random): Generator<Sample> {
  const noise = random.pick(wandering);
  for (;;) {
    const best = environment.expert({ steps: actionSteps });
    if (random.uniform() < shown)
      yield {
        frame: environment.frame(),
        prompt: vlaPrompt(environment.text()),
        action: best,
        scene: environment.scene(),
      };
    const { terminated, truncated } = environment.step(disturbed(best, noise, random));
    if (terminated || truncated) return;
  }
}

function disturbed(action: Action, noise: number, random: Random): Action {
  if (random.uniform() < astray)
    return [
      ...Array.from({ length: 3 }, () => 2 * random.uniform() - 1),
      0,
      0,
      0,
      random.pick([-1, -1, -1, 1]),
    ];
  return action.map((value, place) => (place < 3 ? value + noise * (2 * random.uniform() - 1) : value));
}
