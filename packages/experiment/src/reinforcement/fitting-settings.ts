/** Refuses PPO settings that exclude each other, and environments as tasks of one run if one policy cannot play them all, before a run begins. */
import { checkPpoSettings } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import {
  environmentsWith,
  isDescribedElsewhere,
  isWorded,
  localWorld,
  offeredIn,
  requirePlayable,
  requireReadable,
  tasksIn,
} from '@emac/opening';
import { ppoSettingsOf, type PpoConfig } from '@emac/settings';

/**
 * Errors: `usage` for an environment that does not run here; tasks that do not fit (`requireFittingTasks`); more environments than clients;
 * a critic adapter without a trained adapter; a schedule that ends at its start; those of `checkPpoSettings`.
 */
export function requireFittingPpo(config: PpoConfig): void {
  const { env, policy, play, world } = config;
  requirePlayable({ env, world });
  requireReadable({ env, policy });
  if (world.kind === 'http' && play.environments > world.clients)
    throw refusal(
      `--num-processes ${play.environments}: must be at most --clients ${world.clients}, as each environment needs its own client; give --clients ${play.environments}, or --num-processes ${world.clients}`,
    );
  if (!isWorded(env) && !isDescribedElsewhere(env)) {
    localWorld(env);
    requireFittingTasks(config);
  }
  requireFittingValues(config);
  checkPpoSettings(ppoSettingsOf(config), play.environments);
}

function requireFittingValues({ trained, value, optimization }: PpoConfig): void {
  if (value.learns === 'adapter' && !trained.parts.includes('lora'))
    throw refusal(
      `--value-learns adapter: adds a second adapter beside the policy's, got --train ${trained.parts}; give --train lora or projection,lora, or --value-learns head`,
    );
  const { valueSchedule, finalShare } = optimization;
  if (valueSchedule !== null && valueSchedule !== 'constant' && finalShare === 1)
    throw refusal(
      `--value-schedule ${valueSchedule}: must fall to a share below 1, got --lr-final-share 1; give a lower share, or --value-schedule constant`,
    );
}

/**
 * Errors: `usage` for a curriculum without tasks. Also for tasks that cannot be mixed, are duplicates, lack the
 * environment itself, have a rater or predictor beside a curriculum, or differ in actions or (if only the picture is
 * read) its size.
 */
function requireFittingTasks(config: PpoConfig): void {
  const { env, curriculum, shaping } = config;
  const tasks = tasksIn(config);
  if (tasks === null) {
    if (curriculum.formula !== null && localWorld(env).tasks.training.count === null)
      throw refusal(
        `--curriculum: needs an environment with tasks (${withTasks()}) or --curriculum-tasks (${mixed()}), got ${env}; give one of these, or leave it out`,
      );
    return;
  }
  for (const id of [env, ...tasks]) if (!localWorld(id).isMixed) throw notMixed(id);
  if (!tasks.includes(env) || new Set(tasks).size !== tasks.length || tasks.length === 1)
    throw refusal(
      `--curriculum-tasks: must be two different environments or more, including --env ${env}, got ${tasks.join(', ')}`,
    );
  if (shaping.utility !== null)
    throw refusal(
      '--utility: rates the steps of one environment only; leave it out, or leave out --curriculum-tasks',
    );
  if (curriculum.formula !== null && shaping.temporalPredictor > 0)
    throw refusal(
      `--temporal-predictor: needs sampled episodes, but --curriculum ${curriculum.formula} chooses them; leave one of the two out`,
    );
  const readsAlike = (id: string) => offeredIn(config, id);
  const first = readsAlike(tasks[0]!);
  const other = tasks.find((id) => readsAlike(id) !== first);
  if (other !== undefined)
    throw refusal(
      `--curriculum-tasks: all must have equal actions and pictures: ${tasks[0]} has ${first}, ${other} ${readsAlike(other)}; leave one of them out`,
    );
}

const withTasks = () => environmentsWith((_, world) => world.tasks.training.count !== null);
const mixed = () => environmentsWith((_, world) => world.isMixed ?? false);

function notMixed(id: string): EmacError {
  return refusal(`--curriculum-tasks: must be environments of ${mixed()}, got ${id}; leave it out`);
}

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}
