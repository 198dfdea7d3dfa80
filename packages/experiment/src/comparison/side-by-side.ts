/** One task as every policy of a comparison played it. The pictures come from playing the recorded actions again. */
import { join } from 'node:path';
import type { Frame } from '@emac/core';
import type { ComparedPolicy } from './compared-result.ts';
import type { ComparedTask, ComparedTasks } from './compared-tasks.ts';
import { actionsOf } from './transcripts.ts';

/** A moment of an episode: what was shown, and the action that led there; null at the beginning. */
export interface Moment {
  readonly action: string | null;
  readonly frame: Frame;
}

/** One policy's attempt. */
export interface Column {
  readonly policy: string;
  readonly won: boolean;
  /** the beginning, then a moment for each step */
  readonly moments: readonly Moment[];
}

export interface FilmedTask {
  /** of the task, from 0 */
  readonly number: number;
  readonly task: ComparedTask;
  /** in the order of the policies that played */
  readonly columns: readonly Column[];
}

/** The tasks to film: all, those that some policy won or lost, or the first ones. */
export type TasksFilmed = 'all' | 'won' | 'failures' | number;

export interface Filming {
  readonly where: ComparedTasks;
  readonly rows: readonly ComparedPolicy[];
  /** folder of the comparison */
  readonly out: string;
  readonly which: TasksFilmed;
}

/**
 * The first attempt of every policy at each chosen task. A task without pictures, or with an episode whose actions were not recorded, is
 * left out. Errors: those of the environment.
 */
export async function* sideBySide({ where, rows, out, which }: Filming): AsyncGenerator<FilmedTask> {
  for (const [number, task] of where.tasks.entries()) {
    const played = rows.flatMap(({ policy, folder, result }) => {
      const first = result?.games.findIndex(({ id }) => id === task.id) ?? -1;
      if (folder === null || first < 0) return [];
      return { policy, folder: join(out, folder), first, won: result!.games[first]!.won };
    });
    if (!isChosen(which, number, played)) continue;
    const columns: Column[] = [];
    for (const { policy, folder, first, won } of played) {
      const actions = actionsOf(folder, first);
      const moments = actions && (await playedAgain(where, task, actions));
      if (moments) columns.push({ policy, won, moments });
    }
    if (columns.length > 0 && columns.length === played.length) yield { number, task, columns };
  }
}

function isChosen(which: TasksFilmed, number: number, played: readonly { readonly won: boolean }[]): boolean {
  if (typeof which === 'number') return number < which;
  if (which === 'all') return true;
  return played.some(({ won }) => won === (which === 'won'));
}

/** Null if the environment shows no pictures. */
async function playedAgain(
  { opened }: ComparedTasks,
  task: ComparedTask,
  actions: readonly string[],
): Promise<Moment[] | null> {
  const episode = await opened.begin(task, task.seed);
  try {
    const moments: Moment[] = [];
    let { frames } = episode.first;
    for (const action of [null, ...actions]) {
      if (action !== null) ({ frames } = (await episode.step(action)).observation);
      const [frame] = frames;
      if (!frame) return null;
      moments.push({ action, frame });
    }
    return moments;
  } finally {
    await episode.close();
  }
}
