/** Which games and tasks an evaluation of a run plays. */
import type { OpenedKind } from '@emac/core';
import { drawGames, kindPlay, listGames, loadGames, ownPlay, type RunPlay } from '@emac/opening';
import type { TrainConfig } from '@emac/settings';

/** The first of the list, task types in turn, of another environment the first that are held out; none are looked for where none are played. */
export function evaluationPlay({ games, on }: TrainConfig['evaluation'], kind: OpenedKind | null): RunPlay {
  if (kind) return heldOutPlay(kind, games);
  return ownPlay(games === 0 ? [] : loadGames(drawGames(listGames(on, '--eval-on'), games, null)));
}

/** The first tasks that are held out, as many as there are. */
export function heldOutPlay(kind: OpenedKind, wanted: number): RunPlay {
  const { count, at } = kind.tasks.heldOut;
  return kindPlay(
    kind,
    Array.from({ length: Math.min(wanted, count ?? wanted) }, (_, number) => at(number)),
  );
}
