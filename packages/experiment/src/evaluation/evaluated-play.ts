/** The games and tasks of a run's evaluation. */
import type { OpenedKind } from '@emac/core';
import { isBuiltin, kindNamed, kindPlay, type RunPlay } from '@emac/opening';
import { firstTasks } from '@emac/rollout';

/** How many held-out tasks are played if nobody says, as far as there are so many: long episodes in words fewer. */
export function usualTasks(env: string): number {
  const kind = kindNamed(env);
  return kind?.local || kind?.isElsewhere ? 200 : 20;
}

/** The same in an opened environment: all games of a folder. */
export function usualHeldOut({ id, tasks: { heldOut } }: OpenedKind): number {
  const { list, count } = heldOut;
  return list && !isBuiltin(list.source) ? count! : usualTasks(id);
}

/** The first held-out tasks, as many as there are. */
export function heldOutPlay(kind: OpenedKind, wanted: number): RunPlay {
  return kindPlay(kind, firstTasks(kind.tasks.heldOut, wanted));
}

/** Says that tasks are not repeated to reach a number of episodes; null if there are enough. */
export function fewerTasks(env: string, tasks: number, wanted: number): string | null {
  if (tasks >= wanted) return null;
  return `${env}: ${tasks} held-out tasks, each evaluated once instead of ${wanted} episodes`;
}
