/** Draws a run's training games at its start, and restores them on resume. */
import { EmacError, type OpenedKind, type Random, type Task, type TaskSource } from '@emac/core';
import type { HttpWorld } from '@emac/bridge';
import {
  connectedTo,
  drawGames,
  drawGamesAfter,
  gamesNamed,
  kindPlay,
  listGames,
  loadGames,
  ownPlay,
  refuseArriving,
  refusePlanner,
  remoteList,
  remotePlay,
  worldsOf,
  type GameList,
  type Host,
  type ListedTask,
  type PlayedBefore,
  type RunPlay,
} from '@emac/opening';
import type { HeldRun } from '@emac/runs';
import type { TrainConfig } from '@emac/settings';
import { trainingAt } from '../checkpoint/training-state.ts';
import { gamesOf, solvedBy } from './start.ts';

/** A resumed run. */
export interface DrawnBefore {
  readonly folder: string;
  /** ids of its games */
  readonly drawn: readonly string[];
}

export interface Draw {
  /** the reference's games */
  readonly before: PlayedBefore | null;
  readonly random: Random;
}

export interface DrawnGames {
  readonly play: RunPlay;
  /** the list drawn from; null if there is none */
  readonly list: Pick<GameList<ListedTask>, 'source' | 'leftOut'> | null;
  /** a description of the games, if not a plain draw */
  readonly said: string | null;
}

/** The source of games. */
export interface GameSource {
  /** null if clients have the games */
  readonly list: GameList | null;
  /** null if games are files */
  readonly world: HttpWorld | null;
  /** another environment than ALFWorld */
  readonly kind?: OpenedKind;
}

/**
 * Takes an opened environment, opens a port for clients, or lists files. Errors: `cannot-create`, `usage`, `missing`,
 * `data`.
 */
export async function sourceOf(asked: TrainConfig, host: Host, kind: OpenedKind | null): Promise<GameSource> {
  if (kind) return { list: null, world: null, kind };
  if (asked.world.kind === 'own') return { list: listGames(gamesOf(asked)), world: null };
  refusePlanner(asked.expert);
  return { list: null, world: await worldsOf(host).open(asked.world, host) };
}

export interface Drawing {
  readonly asked: TrainConfig;
  /** for a resumed run */
  readonly continued: DrawnBefore | undefined;
  readonly host: Host;
  readonly draw: Draw;
}

/** The games of a run; none without a source. Errors: `interrupted`, `usage`, `data`, `missing`. */
export async function gamesFrom(source: GameSource | null, drawing: Drawing): Promise<DrawnGames> {
  if (source?.kind)
    return { play: kindPlay(source.kind, tasksFrom(source.kind, drawing)), list: null, said: null };
  if (source?.world) return remoteGames(source.world, drawing);
  if (!source?.list) return { play: ownPlay([]), list: null, said: null };
  const { listed, said } = drawn(source.list, drawing);
  return { play: ownPlay(loadGames(listed)), list: source.list, said };
}

/** They follow from the seed alone, so a resumed run gets the same. Errors: `data` if they differ. */
function tasksFrom({ id, tasks }: OpenedKind, { asked, continued, draw }: Drawing): readonly Task[] {
  const found = drawTasks(tasks.training, asked.play.gamesPerRound, draw.random);
  if (continued && continued.drawn.join() !== found.map((task) => task.id).join())
    throw new EmacError(
      'data',
      `${continued.folder}: ${id} has other tasks now; restore the code that the run started with`,
    );
  return found;
}

/** range of numbers for drawing endless tasks */
const endless = 2 ** 31;

/** So many different tasks, or all. */
function drawTasks({ count, at }: TaskSource, wanted: number, random: Random): readonly Task[] {
  const numbers = new Set<number>();
  const most = Math.min(wanted, count ?? endless);
  while (numbers.size < most) numbers.add(random.integer(count ?? endless));
  return [...numbers].map(at);
}

/** Games of the clients that connect. */
async function remoteGames(world: HttpWorld, drawing: Drawing): Promise<DrawnGames> {
  const { asked, continued, host } = drawing;
  const connected = await connectedTo(world, host);
  if (connected.wire === 'published') {
    const play = remotePlay({ world, tasks: [], arriving: asked.play.gamesPerRound }, host);
    requireOneByOne(asked, play);
    if (continued && continued.drawn.length > 0) throw otherWire(continued, 'version 2');
    return { play, list: null, said: null };
  }
  if (continued && continued.drawn.length === 0) throw otherWire(continued, 'the published wire');
  const list = remoteList(connected.games);
  const { listed, said } = drawn(list, drawing);
  const tasks = listed.map(({ id }) => connected.games.find((game) => game.id === id())!);
  return { play: remotePlay({ world, tasks, arriving: null }, host), list, said };
}

/** A client of the published wire plays one game at a time, unknown in advance. */
function requireOneByOne(
  { play: { episodesPerUpdate }, curriculum, probe }: TrainConfig,
  play: RunPlay,
): void {
  if (curriculum.formula !== null)
    refuseArriving(play, `--curriculum ${curriculum.formula}`, 'brings games in its own order; give none');
  if (episodesPerUpdate > 1)
    refuseArriving(play, `--episodes-per-update ${episodesPerUpdate}`, 'plays one game at a time; give 1');
  if (probe === true)
    refuseArriving(
      play,
      '--probe expert',
      'brings each game once a round, so the expert cannot play it before; give none',
    );
}

function otherWire({ folder }: DrawnBefore, wire: string): EmacError {
  return new EmacError('data', `${folder}: started with a client of ${wire}; resume with such a client`);
}

/** A resumed run plays its earlier draw. */
function drawn<Listed extends ListedTask>(
  list: GameList<Listed>,
  { asked, continued, draw }: Drawing,
): { readonly listed: readonly Listed[]; readonly said: string | null } {
  if (continued) return { listed: gamesNamed(list, continued.drawn), said: null };
  const { before, random } = draw;
  const count = asked.play.gamesPerRound;
  if (before === null) return { listed: drawGames(list, count, random), said: null };
  const { games, unsolved, unseen, solved } = drawGamesAfter(list, count, { before, random });
  const said = `games: ${unsolved} that the reference did not solve, ${unseen} that it never saw, ${solved} that it solved`;
  return { listed: games, said };
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
