/** Names of runs in a queue: each part of a run (its evaluations, its training) has separate jobs and results. */
import { EmacError } from '@emac/core';
import type { JobQueue } from '@emac/queue';

/** How to drop results of a run, in words. */
export function forgetting(run: string): string {
  return `npx emac workers --queue … --forget ${run}`;
}

/**
 * Drops results, conflicts and waiting jobs of a run, by its name or a part's name; returns the dropped names. Errors:
 * `missing` if the queue has none of that name; those of the queue.
 */
export async function forgetRun(queue: JobQueue, name: string): Promise<string[]> {
  const runs = await queue.runs();
  const own = runs.filter((run) => run === name || run.startsWith(`${name}.`));
  if (own.length === 0) throw new EmacError('missing', `queue: it has no run ${name}; ${inWords(runs)}`);
  for (const run of own) await queue.forget(run);
  return own;
}

function inWords(runs: readonly string[]): string {
  if (runs.length === 0) return 'it has no runs';
  const names = new Set(runs.map((run) => run.replace(/\.[0-9a-f]{12}\.[\w-]+$/, '')));
  return `give one of ${[...names].join(', ')}`;
}
