/** The fetching tasks from a client that brings them in its own order, again and again. */
import type { Environment, Task } from '@emac/core';
import { fetching, taskIds } from '@emac/testing';

/** `known`: tasks that arrived earlier, in another process. */
export function brought(
  ids: readonly string[] = taskIds,
  { count = 3, known = [] }: { readonly count?: number; readonly known?: readonly Task[] } = {},
) {
  const inner = fetching(ids);
  const tasks: Task[] = [...known];
  const turnedAway: string[] = [];
  let at = 0;
  const next = (isWanted: (task: Task) => boolean): number | null => {
    const away = new Set<string>();
    for (;;) {
      const task: Task = { id: ids[at % ids.length]!, type: null };
      if (!isWanted(task) && away.has(task.id)) return null;
      at++;
      if (isWanted(task)) {
        const place = tasks.findIndex(({ id }) => id === task.id);
        return place >= 0 ? place : tasks.push(task) - 1;
      }
      away.add(task.id);
      turnedAway.push(task.id);
    }
  };
  const environment: Environment = {
    tasks,
    begin: (task, seed) => inner.begin(task, seed),
    arrivals: { count, next: (isWanted) => Promise.resolve(next(isWanted)) },
  };
  return { environment, turnedAway };
}
