/**
 * Games from a client of the published wire, one after another, in the client's order. An unwanted game is answered
 * `SKIP`, as published, and so is any message after an episode has ended for the run.
 */
import {
  EmacError,
  invariant,
  LostEpisode,
  type Environment,
  type Episode,
  type Observation,
  type Step,
  type Task,
} from '@emac/core';
import type { WorldRecord } from '../world/record.ts';
import type { Timer } from '../world/timer.ts';
import { gameOf } from './game.ts';
import type { PublishedMessage } from './message.ts';
import { skip, type Turn, type Turns } from './turns.ts';

export interface PublishedPlay {
  readonly turns: Turns;
  /** games that have arrived already, besides those of the record */
  readonly tasks: readonly Task[];
  /** games per round */
  readonly count: number;
  readonly record: WorldRecord;
  /** longest wait for a command's result */
  readonly stepMs: number;
  /** longest wait for a game */
  readonly clientMs: number;
  readonly timer: Timer;
  readonly signal?: AbortSignal;
}

/** Errors of waiting for a game: `unavailable` after `clientMs`, `interrupted`. */
export function publishedEnvironment(play: PublishedPlay): Environment {
  const tasks: Task[] = [...play.tasks, ...play.record.games];
  let arrived: Turn | null = null;
  const placeOf = (game: Task): number => {
    const known = tasks.findIndex(({ id }) => id === game.id);
    if (known >= 0) return known;
    play.record.addGame(game);
    return tasks.push(game) - 1;
  };
  return {
    tasks,
    arrivals: {
      count: play.count,
      async next(isWanted) {
        const turnedAway = new Set<string>();
        for (;;) {
          const turn = await nextGame(play);
          const game = gameOf(turn.message);
          if (isWanted(game)) {
            arrived = turn;
            return placeOf(game);
          }
          if (turnedAway.has(game.id)) {
            play.turns.putBack(turn);
            return null;
          }
          turnedAway.add(game.id);
          turn.reply(skip);
        }
      },
    },
    async begin(task) {
      const turn = arrived;
      invariant(
        turn && gameOf(turn.message).id === task.id,
        `published wire: the client brought another game than ${task.id}`,
      );
      arrived = null;
      return begun(task, turn, play);
    },
  };
}

async function nextGame({ turns, clientMs, timer, signal }: PublishedPlay): Promise<Turn> {
  for (;;) {
    const turn = await within(turns, clientMs, { timer, signal });
    if (turn?.isFirst) return turn;
    if (signal?.aborted) throw new EmacError('interrupted', 'stopped on request while waiting for a game');
    if (!turn)
      throw new EmacError(
        'unavailable',
        `--world http: no game came within ${clientMs / 1000} s; start the client again, then resume`,
      );
    // belongs to a finished episode
    turn.reply(skip);
  }
}

/** Null if none comes in time, or the signal fires. */
async function within(
  turns: Turns,
  milliseconds: number,
  { timer, signal }: { readonly timer: Timer; readonly signal: AbortSignal | undefined },
): Promise<Turn | null> {
  const over = new AbortController();
  const end = (): void => over.abort();
  const cancel = timer.after(milliseconds, end);
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  try {
    return await turns.take(over.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', end);
  }
}

function begun(task: Task, first: Turn, play: PublishedPlay): Episode {
  const { turns, stepMs, timer } = play;
  let turn = first;
  let last: Step | null = null;
  return {
    task,
    first: observationOf(first.message),
    async step(command) {
      if (last?.terminated || last?.truncated) return last;
      if (turns.isThere())
        throw new LostEpisode(`${task.id}: its client restarted the episode before it got an answer`);
      turn.reply(command);
      // a stop waits for the result, since the result is saved
      const next = await within(turns, stepMs, { timer, signal: undefined });
      if (!next) throw new LostEpisode(`${task.id}: no result of "${command}" within ${stepMs / 1000} s`);
      if (!next.isFirst) return (last = stepOf((turn = next).message));
      turns.putBack(next);
      if (isSameStart(next.message, first.message))
        throw new LostEpisode(`${task.id}: its client restarted it`);
      return (last = leftByClient);
    },
    close: async () => turn.reply(skip),
  };
}

function isSameStart(one: PublishedMessage, other: PublishedMessage): boolean {
  return one.observation === other.observation && gameOf(one).id === gameOf(other).id;
}

/** The client stops at its own limit, and sends nothing after its last command. */
const leftByClient: Step = {
  observation: { text: '', frames: [], admissible: null },
  reward: 0,
  terminated: false,
  truncated: true,
  info: { won: false },
};

function stepOf(message: PublishedMessage): Step {
  const { done, won } = message;
  return {
    observation: observationOf(message),
    reward: won ? 1 : 0,
    terminated: done && won,
    truncated: done && !won,
    info: { won },
  };
}

function observationOf({ observation: text, admissible, picture }: PublishedMessage): Observation {
  return { text, admissible, frames: picture ? [picture] : [] };
}
