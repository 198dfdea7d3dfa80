/** Refuses environments as tasks of one run, before it begins, if one policy cannot play them all. */
import { EmacError } from '@emac/core';
import { environmentsWith, localWorld, offeredIn, tasksIn } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';

type Judged = Pick<PpoConfig, 'env' | 'policy' | 'play' | 'curriculum' | 'shaping'>;

/**
 * Errors: `usage` for a curriculum without tasks. Also for tasks that cannot be mixed, are duplicates, lack the
 * environment itself, have a rater or predictor beside a curriculum, or differ in actions or (if only the picture is
 * read) its size.
 */
export function requireFittingTasks(config: Judged): void {
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
