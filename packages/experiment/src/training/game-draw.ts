/** Which games a run trains on, and which its evaluations play. */
import type { Random } from '@emac/core';
import type { HeldRun } from '@emac/runs';
import type { Game } from '@emac/world';
import { trainingAt } from '../checkpoint/checkpoint-content.ts';
import type { TrainConfig } from '../config/train-config.ts';
import {
  drawGames,
  drawGamesAfter,
  gamesNamed,
  listGames,
  loadGames,
  type GameList,
  type PlayedBefore,
} from '../tasks/games.ts';
import { solvedBy } from './start.ts';

interface Draw {
  /** null for a run on a dataset */
  readonly list: GameList | null;
  /** what the reference played */
  readonly before: PlayedBefore | null;
  readonly random: Random;
}

interface DrawnGames {
  readonly games: readonly Game[];
  /** which they are, where that is not a plain draw */
  readonly said: string | null;
}

/** The games of a run. One that goes on plays what it drew: `drawn` are their ids, null for a run that begins. */
export function gamesToPlay(
  { play }: Pick<TrainConfig, 'play'>,
  drawn: readonly string[] | null,
  draw: Draw,
): DrawnGames {
  if (drawn === null || draw.list === null) return drawnGames(play.gamesPerRound, draw);
  return { games: loadGames(gamesNamed(draw.list, drawn)), said: null };
}

function drawnGames(count: number, { list, before, random }: Draw): DrawnGames {
  if (list === null) return { games: [], said: null };
  if (before === null) return { games: loadGames(drawGames(list, count, random)), said: null };
  const { games, unsolved, unseen, solved } = drawGamesAfter(list, count, { before, random });
  const said = `games: ${unsolved} that the reference's run did not solve, ${unseen} that it never saw, ${solved} that it solved`;
  return { games: loadGames(games), said };
}

/** Ids of games that earlier phases won, sorted. */
export function wonBefore(
  { start }: Pick<TrainConfig, 'start'>,
  ref: string | null,
  point: HeldRun['point'],
): readonly string[] {
  if (point) return trainingAt(point).solvedBefore;
  return [...new Set([...solvedBy(ref), ...solvedBy(start.init)])].sort();
}

/** The first of the list, task types in turn; none are looked for where none are played. */
export function evaluationGames({ games, on }: TrainConfig['evaluation']): readonly Game[] {
  return games === 0 ? [] : loadGames(drawGames(listGames(on, '--eval-on'), games, null));
}
