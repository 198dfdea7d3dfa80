/** Draws a run's training games at its start, and restores them on resume. */
import { EmacError, type Random, type Task, type TaskSource } from '@emac/core';
import type { HttpWorld } from '@emac/bridge';
import {
  connectedTo,
  drawGames,
  drawGamesAfter,
  frameSizeOf,
  gamesNamed,
  kindPlay,
  listedTasks,
  openPlayedOnce,
  refuseArriving,
  refusePlanner,
  remoteList,
  remotePlay,
  taskOf,
  type Host,
  type PlayedBefore,
  type PlayedOnce,
  type RunPlay,
} from '@emac/opening';
import type { HeldRun } from '@emac/runs';
import { heldOutSuite, type TrainConfig } from '@emac/settings';
import { trainingAt } from '../checkpoint/training-state.ts';
import { gamesOf, solvedBy } from './start.ts';

/** A resumed run. */
export interface DrawnBefore {
  readonly folder: string;
  /** ids of its games */
  readonly drawn: readonly string[];
}

export interface DrawnGames {
  readonly play: RunPlay;
  /** a description of the games, if not a plain draw */
  readonly said: string | null;
}

/** Where tasks come from. Errors: `usage` for an expert that reads game files beside clients. */
export async function sourceOf(asked: TrainConfig, host: Host): Promise<PlayedOnce> {
  const { env, seed, world, play, evaluation } = asked;
  if (world.kind !== 'own') refusePlanner(asked.expert);
  return openPlayedOnce(
    {
      env,
      seed,
      maxSteps: play.maxSteps,
      frameSize: frameSizeOf({ env, policy: asked.policy }),
      source: gamesOf(asked),
      // by default each environment's own
      heldOut: evaluation.on === heldOutSuite ? null : evaluation.on,
    },
    host.environment ?? null,
    { world, host },
  );
}

export interface Drawing {
  readonly asked: TrainConfig;
  /** for a resumed run */
  readonly continued: DrawnBefore | undefined;
  readonly host: Host;
  /** the reference's games */
  readonly before: PlayedBefore | null;
  readonly random: Random;
}

/** The games of a run. Errors: `interrupted`, `usage`, `data`, `missing`. */
export async function gamesFrom({ kind, clients }: PlayedOnce, drawing: Drawing): Promise<DrawnGames> {
  if (clients) return remoteGames(clients, drawing);
  const { tasks, said } = drawn(kind.tasks.training, drawing);
  return { play: kindPlay(kind, tasks), said };
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
    return { play, said: null };
  }
  if (continued && continued.drawn.length === 0) throw otherWire(continued, 'the published wire');
  const { tasks, said } = drawn(listedTasks(remoteList(connected.games)), drawing);
  return { play: remotePlay({ world, tasks, arriving: null }, host), said };
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

/** A resumed run plays its earlier draw. Errors: `data` if there are other tasks now. */
function drawn(
  source: TaskSource,
  { asked, continued, before, random }: Drawing,
): Pick<DrawnGames, 'said'> & { readonly tasks: readonly Task[] } {
  const { list } = source;
  const count = asked.play.gamesPerRound;
  if (!list) {
    const tasks = drawTasks(source, count, random);
    if (continued && continued.drawn.join() !== tasks.map(({ id }) => id).join())
      throw new EmacError(
        'data',
        `${continued.folder}: ${asked.env} has other tasks now; restore the code that the run started with`,
      );
    return { tasks, said: null };
  }
  if (continued) return { tasks: gamesNamed(list, continued.drawn).map(taskOf), said: null };
  if (before === null) return { tasks: drawGames(list, count, random).map(taskOf), said: null };
  const { games, unsolved, unseen, solved } = drawGamesAfter(list, count, { before, random });
  const said = `games: ${unsolved} that the reference did not solve, ${unseen} that it never saw, ${solved} that it solved`;
  return { tasks: games.map(taskOf), said };
}

/** Ids of games that earlier phases won, sorted. */
export function wonBefore(
  { init }: Pick<TrainConfig, 'init'>,
  ref: string | null,
  point: HeldRun['point'],
): readonly string[] {
  if (point) return trainingAt(point).solvedBefore;
  return [...new Set([...solvedBy(ref), ...solvedBy(init)])].sort();
}
