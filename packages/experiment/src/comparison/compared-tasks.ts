/** The environment of a comparison, opened for players, and the held-out tasks that every policy plays. */
import { EmacError, Random, type OpenedKind, type Task } from '@emac/core';
import {
  countedStarts,
  environmentOfPolicy,
  isWorded,
  kindOf,
  openKind,
  shortage,
  steppedIn,
  wordedEpisodes,
  type Host,
} from '@emac/opening';
import { heldOutSeed } from '@emac/rollout';
import { isEnvironmentModule, usualEnvironment } from '@emac/settings';
import { suiteOrAll } from '../evaluation/evaluate-policy.ts';

/** One task, and the seed of its episode. */
export interface ComparedTask extends Task {
  readonly seed: string;
}

export interface ComparedTasks {
  readonly opened: OpenedKind;
  readonly tasks: readonly ComparedTask[];
  /** an episode is won as in games: by the environment's verdict; else by a return above 0 */
  readonly isAsGames: boolean;
  readonly notes: readonly string[];
}

export interface ComparedWhere {
  /** an id or a module; null for games */
  readonly env: string | null;
  readonly games: string;
  /** null: 20 of a suite of games, else all; 200 episodes, or all numbered starts */
  readonly episodes: number | null;
  readonly maxSteps: number | null;
  readonly seed: number;
  /** policies trained here, which decide how a module's episodes are judged */
  readonly trained: readonly string[];
}

const usualEpisodes = 200;

/** Errors: those of opening the environment; `usage` for one that clients play, and for more starts than there are. */
export async function comparedTasks(
  where: ComparedWhere,
  host: Pick<Host, 'environment'>,
): Promise<ComparedTasks> {
  const { env, trained, maxSteps } = where;
  if (env === null) return inGames(where);
  const given = host.environment ?? null;
  const kind = kindOf(env, given);
  if (kind.isElsewhere)
    throw new EmacError(
      'usage',
      `--policy: compares policies in environments of this machine, but a client plays ${env}; give one --ckpt with --world http`,
    );
  const isAsGames = trained.some((ckpt) => isPlayedAsGames(env, ckpt));
  const opened = await openKind({ env, maxSteps }, given);
  const random = Random.fromSeed(where.seed).stream('evaluation');
  const tasks = isWorded(env)
    ? wordedTasks(opened, where.episodes ?? usualEpisodes, random)
    : numberedTasks(kind.idOf(env)!, where.episodes, random);
  const notes = [shortage('--num-episodes', tasks.length, where.episodes ?? 0)];
  return { opened, tasks, isAsGames, notes: notes.filter((note) => note !== null) };
}

/** A policy trained in a module by words is evaluated there as in games. */
export function isPlayedAsGames(env: string, ckpt: string): boolean {
  if (!isEnvironmentModule(env) || ckpt === 'untouched') return false;
  return steppedIn(ckpt) === null && isEnvironmentModule(environmentOfPolicy(ckpt));
}

async function inGames({ games, episodes, maxSteps, seed }: ComparedWhere): Promise<ComparedTasks> {
  const opened = await kindOf(usualEnvironment).open(usualEnvironment, { maxSteps, heldOut: games });
  const { count, at } = opened.tasks.heldOut;
  const wanted = Math.min(episodes ?? suiteOrAll(games, count!), count!);
  const random = Random.fromSeed(seed);
  const tasks = Array.from({ length: wanted }, (_, number) => at(number));
  const note = shortage('--num-games', wanted, episodes ?? 0);
  return {
    opened,
    tasks: tasks.map((task) => ({ ...task, seed: random.stream(task.id).path })),
    isAsGames: true,
    notes: note === null ? [] : [note],
  };
}

/** Each task once. */
function wordedTasks(opened: OpenedKind, episodes: number, random: Random): ComparedTask[] {
  const most = Math.min(episodes, opened.tasks.heldOut.count ?? Infinity);
  return wordedEpisodes(opened, most, random).map(({ id, task, seed }) => {
    return { id, type: task, seed: String(seed) };
  });
}

function numberedTasks(id: string, episodes: number | null, random: Random): ComparedTask[] {
  const starts = countedStarts(id, 'heldOut');
  if (starts === null)
    return Array.from({ length: episodes ?? usualEpisodes }, (_, number) => {
      const seed = heldOutSeed(random, number);
      return { id: `${id}/${seed}`, type: id, seed: String(seed) };
    });
  return starts.slice(0, episodes ?? starts.length).map(({ id: name, task, seed }) => {
    return { id: name, type: task, seed: String(seed) };
  });
}
