/** The environment of a comparison, opened for players, and the held-out tasks that every policy plays. */
import { EmacError, type OpenedKind, type Task } from '@emac/core';
import { environmentOfPolicy, kindOf, openKind, steppedIn, type Host } from '@emac/opening';
import { firstTasks, taskSeeds } from '@emac/rollout';
import { isEnvironmentModule, usualEnvironment } from '@emac/settings';
import { fewerTasks, usualTasks } from '../evaluation/evaluated-play.ts';
import { suiteOrAll } from '../evaluation/evaluate-policy.ts';

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
  /** null: all games of a folder, else as many as `usualTasks` */
  readonly episodes: number | null;
  readonly maxSteps: number | null;
  readonly seed: number;
}

/** Errors: those of opening the environment; `usage` for one that clients play, and for more starts than there are. */
export async function comparedTasks(
  where: ComparedWhere,
  host: Pick<Host, 'environment'>,
): Promise<ComparedTasks> {
  const { env, maxSteps } = where;
  if (env === null) return inGames(where);
  const given = host.environment ?? null;
  const kind = kindOf(env, given);
  if (kind.isElsewhere)
    throw new EmacError(
      'usage',
      `--policy: compares policies in environments of this machine, but a client plays ${env}; give one --ckpt with --world http`,
    );
  return listed(await openKind({ env, maxSteps }, given), where, usualTasks(env));
}

/** A policy trained in a module by words is evaluated there as in games. */
export function isPlayedAsGames(env: string, ckpt: string): boolean {
  if (!isEnvironmentModule(env) || ckpt === 'untouched') return false;
  return steppedIn(ckpt) === null && isEnvironmentModule(environmentOfPolicy(ckpt));
}

async function inGames({ games, episodes, maxSteps, seed }: ComparedWhere): Promise<ComparedTasks> {
  const opened = await kindOf(usualEnvironment).open(usualEnvironment, { maxSteps, heldOut: games });
  const usual = suiteOrAll(games, opened.tasks.heldOut.count!);
  return listed(opened, { episodes, seed }, usual);
}

function listed(
  opened: OpenedKind,
  { episodes, seed }: Pick<ComparedWhere, 'episodes' | 'seed'>,
  usual: number,
): ComparedTasks {
  const seedOf = taskSeeds(seed);
  const tasks = firstTasks(opened.tasks.heldOut, episodes ?? usual);
  const note = fewerTasks(opened.id, tasks.length, episodes ?? 0);
  return {
    opened,
    tasks: tasks.map((task) => ({ ...task, seed: seedOf(task) })),
    notes: note === null ? [] : [note],
  };
}
