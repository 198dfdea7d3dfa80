/**
 * The games named by `--games`, and those a run plays. Games are drawn with task types in turn, so even a few games
 * show several kinds of task. A folder of real games is sorted by type and would show only one.
 */
import { basename, dirname, resolve, sep } from 'node:path';
import {
  EmacError,
  invariant,
  type ListedTask,
  type Random,
  type Task,
  type TaskList,
  type TaskSource,
} from '@emac/core';
import { isThere } from '@emac/files';
import { isTaskType, builtinGames, checkGame, findGames, loadGame, parseGame, type Game } from '@emac/world';

/** As its environment has it. */
export function taskOf({ id, type }: ListedTask): Task {
  return { id: id(), type: type === 'unknown' ? null : type };
}

export interface ListedGame extends ListedTask {
  /** reads the file without compiling it; a damaged one is an error of code `data` */
  readonly check: () => void;
  /** compiles the game; a damaged file is an error of code `data` */
  readonly load: () => Game;
}

export type GameList = TaskList<ListedGame>;

/** A list as the tasks of an environment, in the order of `games`: by default the list's own. */
export function listedTasks(list: TaskList, games: readonly ListedTask[] = list.games): TaskSource {
  return {
    count: games.length,
    list,
    at(number) {
      const game = games[Number(number)];
      invariant(game, `${list.source}: has games 0 to ${games.length - 1}, got number ${number}`);
      return taskOf(game);
    },
  };
}

export const suites = ['train', 'valid_seen', 'valid_unseen'] as const;

/** Every game that `source` names; faults name the `flag` that it was given with. Errors: `usage` for an unknown suite, `missing` path, `data` when none is playable or two have one id. */
export function listGames(source: string, flag = '--games'): GameList {
  if (source.startsWith('builtin:')) return builtinList(source, flag);
  if (!isThere(source))
    throw new EmacError(
      'missing',
      `${flag} ${source}: does not exist; give a folder, a file or builtin:train`,
    );
  const { games, leftOut } = findGames(source);
  const said = leftOut.map(({ reason, count }) => `${count} (${reason})`).join(', ');
  if (games.length === 0)
    throw new EmacError('data', `${flag} ${source}: holds no playable game${said && `; skipped: ${said}`}`);
  refuseEqualIds(`${flag} ${source}`, games);
  const listed = games.map((path) => ({
    type: typeOf(path),
    id: () => idOf(path),
    check: () => checkGame(path),
    load: () => loadGame(path),
  }));
  let byId: Map<string, ListedGame> | undefined;
  return {
    source,
    games: listed,
    find: (id) => (byId ??= new Map(listed.map((game) => [game.id(), game]))).get(id),
    leftOut: said === '' ? null : `games skipped: ${said}`,
  };
}

/** True for a suite that is generated, not read. */
export function isBuiltin(source: string): boolean {
  return source.startsWith('builtin:');
}

/** One game of a suite by its index. Errors: `usage`. */
export function builtinGameAt(source: string, index: number): Game {
  const suite = suiteOf(source);
  const { id, file } = suite.game(index);
  return parseGame(file, { id });
}

/** `count` games in a drawn order, task types in turn; in list order without a generator. */
export function drawGames<Listed extends ListedTask>(
  list: TaskList<Listed>,
  count: number,
  random: Random | null,
): readonly Listed[] {
  return orderedGames(list, random).slice(0, count);
}

/** The games of these ids, in their order. Errors: `data` for a missing one. */
export function gamesNamed<Listed extends ListedTask>(
  list: TaskList<Listed>,
  ids: readonly string[],
): readonly Listed[] {
  return ids.map((id) => {
    const game = list.find(id);
    if (game) return game;
    throw new EmacError('data', `--games ${list.source}: ${id} no longer exists; put it back`);
  });
}

/** Games that a client can play, in its order. */
export function remoteList(tasks: readonly Task[]): TaskList {
  const games = tasks.map(({ id, type }) => ({ type: type ?? 'unknown', id: () => id }));
  const byId = new Map(games.map((game) => [game.id(), game]));
  return { source: 'of the client', games, find: (id) => byId.get(id), leftOut: null };
}

/** An earlier phase's results by game id. */
export interface PlayedBefore {
  readonly seen: ReadonlySet<string>;
  readonly solved: ReadonlySet<string>;
}

export interface GamesAfter<Listed extends ListedTask> {
  readonly games: readonly Listed[];
  /** how many of them the earlier phase saw and did not solve, never saw, and solved */
  readonly unsolved: number;
  readonly unseen: number;
  readonly solved: number;
}

/**
 * `count` games for a phase that learns from mistakes: in a drawn order those the earlier phase did not solve, then
 * those it never saw, then those it solved.
 */
export function drawGamesAfter<Listed extends ListedTask>(
  list: TaskList<Listed>,
  count: number,
  { before, random }: { readonly before: PlayedBefore; readonly random: Random },
): GamesAfter<Listed> {
  const order = orderedGames(list, random);
  const wasSeen = new Set([...before.seen].map(list.find));
  const wasSolved = new Set([...before.solved].map(list.find));
  const unsolved = order.filter((game) => wasSeen.has(game) && !wasSolved.has(game)).slice(0, count);
  const unseen = order.filter((game) => !wasSeen.has(game)).slice(0, count - unsolved.length);
  const solved = order
    .filter((game) => wasSolved.has(game))
    .slice(0, count - unsolved.length - unseen.length);
  return {
    games: [...unsolved, ...unseen, ...solved],
    unsolved: unsolved.length,
    unseen: unseen.length,
    solved: solved.length,
  };
}

function orderedGames<Listed extends ListedTask>(list: TaskList<Listed>, random: Random | null): Listed[] {
  return inTurn(random ? random.shuffle(list.games) : list.games);
}

/** One sentence if there are fewer games than requested, else null. */
export function shortage(flag: string, drawn: number, wanted: number): string | null {
  return drawn < wanted ? `${flag} ${wanted}: only ${drawn} of ${wanted} games exist` : null;
}

/** Training and evaluation identify games only by id: the file's name and the two folders around it. */
function refuseEqualIds(place: string, paths: readonly string[]): void {
  const byId = new Map<string, string>();
  for (const path of paths) {
    const id = resolve(path).split(sep).slice(-3).join('/');
    const other = byId.get(id);
    if (other !== undefined)
      throw new EmacError(
        'data',
        `${place}: games must have different ids, ${other} and ${path} have the same; give a folder with one of them`,
      );
    byId.set(id, path);
  }
}

function builtinList(source: string, flag: string): GameList {
  const suite = suiteOf(source, flag);
  const games = suite.taskTypes.map((type, index) => ({
    type,
    id: () => suite.id(index),
    check: () => {},
    load: () => builtinGameAt(source, index),
  }));
  // an id ends with the game's place
  const find = (id: string) => {
    const game = games[Number(/_(\d+)$/.exec(id)?.[1] ?? NaN)];
    return game?.id() === id ? game : undefined;
  };
  return { source, games, find, leftOut: null };
}

function suiteOf(source: string, flag = '--games') {
  const name = source.slice('builtin:'.length);
  const suite = suites.find((each) => each === name);
  if (!suite) {
    const known = suites.map((each) => `builtin:${each}`).join(', ');
    throw new EmacError('usage', `${flag} ${source}: is not a suite; give one of ${known}`);
  }
  return builtinGames(suite);
}

/** `<task>/<trial>`, plus `@<file name>` unless that is `game.tw-pddl`. */
function idOf(path: string): string {
  const [task, trial, file] = resolve(path).split(sep).slice(-3);
  return `${task}/${trial}${file === 'game.tw-pddl' ? '' : `@${file}`}`;
}

/** By the folder's name, as loading thousands of games to ask them would take long. */
function typeOf(path: string): string {
  const task = basename(dirname(dirname(resolve(path))));
  const type = task.split('-', 1)[0]!;
  return isTaskType(type) ? type : 'unknown';
}

function inTurn<Listed extends ListedTask>(games: readonly Listed[]): Listed[] {
  const byType = new Map<string, Listed[]>();
  for (const game of games) {
    const ofType = byType.get(game.type) ?? [];
    ofType.push(game);
    byType.set(game.type, ofType);
  }
  const queues = [...byType.values()];
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, place) => queues.flatMap((queue) => queue[place] ?? [])).flat();
}
