/**
 * VLA-RL's experiment name: `ppo+{suite}+tasks{n}+trials{n}+ns{steps}+maxs{length}+rb{environments}+tb{steps of an
 * update}+lr-{..}+vlr-{..}+s-{seed}`, with `+lora`, `+norm_adv` and `+cl` if they apply. Parts the environment lacks
 * are omitted.
 */
import { countedTasks, kindOf, localWorld, movedWorld } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';

/** The suite is the environment's id with `_` for `/`; a trial is an initial state to learn from. */
export function experimentId(config: PpoConfig): string {
  const { env, play, optimization, trained, advantages, curriculum, value, seed } = config;
  const robot = kindOf(env).robot ? robotParts(config) : null;
  const { learningRate } = optimization;
  const limit = play.maxSteps ?? robot?.maxSteps ?? null;
  return [
    'ppo',
    publishedSuite(env),
    ...(robot ? [`tasks${robot.tasks}`, `trials${robot.trials}`] : []),
    `ns${play.stepsPerUpdate}`,
    ...(limit === null ? [] : [`maxs${limit}`]),
    `rb${play.environments}`,
    `tb${play.environments * play.stepsPerUpdate}`,
    `lr-${pythonFloat(learningRate)}`,
    `vlr-${pythonFloat(Number((learningRate * value.learningRateScale).toPrecision(12)))}`,
    `s-${seed}`,
    ...(trained.parts.includes('lora') ? ['lora'] : []),
    ...(advantages.normalize === null ? [] : ['norm_adv']),
    ...(curriculum.formula === null ? [] : ['cl']),
  ].join('+');
}

/** `tabletop_spatial`, as `libero_spatial` is one name. */
export function publishedSuite(env: string): string {
  return env.replaceAll('/', '_');
}

/** A number as Python writes a float: 8e-06, 0.0001, 1.0. */
export function pythonFloat(value: number): string {
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function robotParts({ env }: PpoConfig) {
  const tasks = countedTasks(env).tasks.length;
  const trials = localWorld(env).tasks.training.count! / tasks;
  return { tasks, trials, maxSteps: movedWorld(env).maxSteps };
}
