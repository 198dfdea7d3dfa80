/**
 * What vla-tiny learns from: pictures of the table while a scripted controller whose motions are disturbed solves the spatial suite from its initial
 * states for training, and what an undisturbed one would do next, in steps of an eighth. No held-out initial state is ever shown.
 */
import type { Frame, Random } from '@emac/core';
import { tabletop, type Action, type Scene, type Tabletop } from '@emac/tabletop';
import { vlaPrompt } from '@emac/vla';

export interface Sample {
  readonly frame: Frame;
  readonly prompt: string;
  /** as the environment takes it */
  readonly action: Action;
  readonly scene: Scene;
}

/** Shares of disturbed episodes: how far each number of a motion may be off. */
const wandering = [0, 0.2, 0.4, 0.6] as const;
/** Share of steps that are taken at random, and of steps that are shown. */
const [astray, shown] = [0.1, 0.6];

/** Samples without end; a generator of the same name gives the same ones. */
export function* samples(random: Random): Generator<Sample, never> {
  const environment = tabletop('tabletop/spatial', { split: 'train', maxSteps: 30 });
  for (;;) {
    environment.reset(random.uint32());
    yield* episode(environment, random);
  }
}

function* episode(environment: Tabletop, random: Random): Generator<Sample> {
  const noise = random.pick(wandering);
  for (;;) {
    const best = inEighths(environment.expert());
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

/** Each number to the nearest eighth: what a demonstrator does, within a centimetre. */
export function inEighths(action: Action): Action {
  return action.map((value) => Math.round(value * 8) / 8 + 0);
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
