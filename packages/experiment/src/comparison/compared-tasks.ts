/** The environment of a comparison, opened for players, and the held-out tasks that every policy plays. */
import { EmacError, type OpenedKind, type Task } from '@emac/core';
import { kindOf, openKind, type Host } from '@emac/opening';
import { firstTasks, taskSeeds } from '@emac/rollout';
import { heldOutSuite, usualEnvironment } from '@emac/settings';
import { fewerTasks, usualHeldOut } from '../evaluation/evaluated-play.ts';

/** One task, and the seed of its episode. */
export interface ComparedTask extends Task {
  readonly seed: string;
}

export interface ComparedTasks {
  readonly opened: OpenedKind;
  readonly tasks: readonly ComparedTask[];
  readonly notes: readonly string[];
}

export interface ComparedWhere {
  /** an id or a module; null for games */
  readonly env: string | null;
  readonly games: string;
  /** null: all games of a folder, else as many as `usualHeldOut` */
  readonly episodes: number | null;
  readonly maxSteps: number | null;
  readonly seed: number;
}

/** Errors: those of opening the environment; `usage` for one that clients play, and for more starts than there are. */
export async function comparedTasks(
  where: ComparedWhere,
  host: Pick<Host, 'environment'>,
): Promise<ComparedTasks> {
  const { env, games, episodes, maxSteps, seed } = where;
  const given = host.environment ?? null;
  if (env !== null && kindOf(env, given).isElsewhere)
    throw new EmacError(
      'usage',
      `--policy: compares policies in environments of this machine, but a client plays ${env}; give one --ckpt with --world http`,
    );
  const isOwn = env !== null && games === heldOutSuite;
  const asks = { env: env ?? usualEnvironment, maxSteps, ...(!isOwn && { heldOut: games }) };
  const opened = await openKind(asks, given);
  const seedOf = taskSeeds(seed);
  const tasks = firstTasks(opened.tasks.heldOut, episodes ?? usualHeldOut(opened));
  const note = fewerTasks(opened.id, tasks.length, episodes ?? 0);
  return {
    opened,
    tasks: tasks.map((task) => ({ ...task, seed: seedOf(task) })),
    notes: note === null ? [] : [note],
  };
}
