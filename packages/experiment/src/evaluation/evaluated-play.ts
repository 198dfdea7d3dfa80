/** The games and tasks of a run's evaluation. */
import { Random, type OpenedKind, type Task } from '@emac/core';
import { drawGames, kindPlay, listGames, loadGames, ownPlay, type RunPlay } from '@emac/opening';
import type { TrainConfig } from '@emac/settings';

/**
 * The first listed games, task types in turn; in another environment the first held-out tasks. Lists nothing if none
 * are played.
 */
export function evaluationPlay({ games, on }: TrainConfig['evaluation'], kind: OpenedKind | null): RunPlay {
  if (kind) return heldOutPlay(kind, games);
  return ownPlay(games === 0 ? [] : loadGames(drawGames(listGames(on, '--eval-on'), games, null)));
}

/** The first held-out tasks, as many as there are. */
export function heldOutPlay(kind: OpenedKind, wanted: number): RunPlay {
  const { count, at } = kind.tasks.heldOut;
  return kindPlay(
    kind,
    Array.from({ length: Math.min(wanted, count ?? wanted) }, (_, number) => at(number)),
  );
}

/** The environment's seed of each evaluated task: equal before training, after it, and in `emac eval` with the run's seed. */
export function episodeSeeds(seed: number): (task: Task) => string {
  return ({ id }) => Random.fromSeed(seed).stream(id).path;
}
