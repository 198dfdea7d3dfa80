/** Selects the episodes of a report, since it cannot hold all. */
import { groupBy, type EpisodeHead } from '@emac/pages/data';

/**
 * At most `count`: the first lost and the first won episode of every task type, then the second of each, and so on; in
 * the order played.
 */
export function chooseEpisodes(episodes: readonly EpisodeHead[], count: number): EpisodeHead[] {
  const queues = [...groupBy(episodes, ({ taskType, won }) => `${taskType} ${won}`).values()].sort(
    ([first], [second]) => Number(first!.won) - Number(second!.won),
  );
  const longest = queues.reduce((most, { length }) => Math.max(most, length), 0);
  const inTurn = Array.from({ length: longest }, (_, place) =>
    queues.flatMap((queue) => queue[place] ?? []),
  ).flat();
  return inTurn.slice(0, count).sort((a, b) => a.episode - b.episode);
}
