/** A worker for any run and any collection: joins all methods' players. */
import { episodesOf, type EpisodeSettings } from '@emac/datasets';
import type { WorkerSummary } from '@emac/queue';
import { workWith, type Players, type WorkOptions } from '@emac/workers';
import { openStepped } from './reinforcement/worker-policy.ts';

export const players: Players = {
  stepped: openStepped,
  episodes: (settings) => episodesOf(settings as unknown as EpisodeSettings),
};

/** Works until the signal fires. Errors: those of `workWith`. */
export function work(options: WorkOptions): Promise<WorkerSummary> {
  return workWith(players, options);
}
