/**
 * One evaluation: a policy plays tasks, each as often as asked. What is over is journaled, so that an interruption repeats no attempt. How the
 * policy plays is given: by words (`play-in-words.ts`) or step by step (`play-in-steps.ts`).
 */
import { EmacError, type Sampling, type Task } from '@emac/core';
import { warn, type Host } from '@emac/opening';
import {
  attemptName,
  evaluationResult,
  isSuccess,
  type EvaluatedGame,
  type EvaluationResult,
  type EvaluationSubject,
  type LostGame,
  type ScoredEpisode,
} from '@emac/rollout';
import type { PlayedGame } from '../logs/published-logs.ts';
import type { EvaluationTraces } from '../logs/evaluation-traces.ts';
import type { JournaledEpisode, JournaledGame, PlayJournal, TracedGame } from './journal.ts';

/** What a player of attempts asks and tells. */
export interface AttemptsToPlay {
  /** whether an attempt is over, by its `attemptName` */
  isOver(name: string): boolean;
  over(game: EvaluatedGame, beside?: Omit<TracedGame, 'game'>): void;
  /** its environment failed: it is in no count */
  lost(id: string, fault: string): void;
}

/** Plays every attempt that is not over. */
export type PlayAttempts = (attempts: AttemptsToPlay) => Promise<unknown>;

export interface EvaluatedTasks {
  /** in the order of the result; tasks that arrive are added while they are played */
  readonly tasks: readonly Task[];
  readonly attempts: number;
}

export interface TasksEvaluation extends EvaluatedTasks, EvaluationSubject {
  /** of the checkpoint, in the result */
  readonly checkpoint: string;
  readonly play: PlayAttempts;
  /** null if interrupted evaluations are not kept */
  readonly journal: PlayJournal | null;
  /** where traced attempts are kept; absent: none are */
  readonly traces?: Pick<EvaluationTraces, 'add' | 'finish'> | undefined;
  readonly host: Pick<Host, 'listener'>;
}

export interface Evaluated {
  readonly result: EvaluationResult;
  /** of the games that have a log, in the order of the result */
  readonly played: readonly PlayedGame[];
}

/** Errors: `unavailable` if every attempt was lost, which says nothing about the policy; those of playing. */
export async function evaluateTasks(evaluation: TasksEvaluation): Promise<Evaluated> {
  const { tasks, attempts, journal, traces, play, host } = evaluation;
  const { listener } = host;
  const entries = new Map<string, JournaledGame>();
  const count = (entry: JournaledGame): void => {
    entries.set(nameOf(entry.game), { ...entry, game: ordered(entry.game) });
    listener?.game?.(entry.game);
  };
  const untraced = ({ trace, ...entry }: TracedGame): JournaledGame => {
    if (trace) traces?.add(nameOf(entry.game), trace);
    return entry;
  };
  for (const line of journal?.lines ?? [])
    count('scored' in line ? entryOf(line, evaluation) : untraced(line));
  const lost: LostGame[] = [];
  await play({
    isOver: (name) => entries.has(name),
    over(game, beside) {
      const entry = untraced({ game, ...beside });
      journal?.add(entry);
      count(entry);
    },
    lost(id, fault) {
      lost.push({ id, fault });
      warn(listener, `${id}: lost: ${fault}`);
      listener?.advance?.();
    },
  });
  const over = tasks.flatMap(({ id }) =>
    Array.from({ length: attempts }, (_, attempt) => entries.get(attemptName(id, attempt)) ?? []).flat(),
  );
  if (over.length === 0 && lost.length > 0)
    throw new EmacError(
      'unavailable',
      `evaluation: all ${lost.length} episodes failed in the client, the first with: ${lost[0]!.fault}; fix the client and try it with one task`,
    );
  traces?.finish(over.map(({ game }) => nameOf(game)));
  const { checkpoint, env, policy, sampling, seed } = evaluation;
  const games = over.map(({ game }) => game);
  return {
    result: evaluationResult(games, { checkpoint, env, policy, sampling, seed, lost }),
    played: over.flatMap(({ played }) => played ?? []),
  };
}

/** Of the answers; `beams`: of a search. */
export function samplingOf({ temperature }: { readonly temperature: number }, beams = 1): Sampling {
  return temperature === 0 ? { kind: 'search', beams } : { kind: 'sample', temperature, topP: 1 };
}

/** An episode's game by its number: all first attempts come before the second ones. */
export function gameOf(
  { env, tasks, attempts }: EvaluatedTasks & Pick<EvaluationSubject, 'env'>,
  number: number,
  score: ScoredEpisode,
): EvaluatedGame {
  const { id, type } = tasks[number % tasks.length]!;
  const { steps, fallbacks, repairs, return: sum } = score;
  const again = attempts > 1 && { attempt: Math.floor(number / tasks.length) + 1 };
  const won = isSuccess(score);
  const counts = { fallbacks, ...(repairs !== undefined && { repairs }) };
  return { id, type: type ?? env, won, steps, seen_in_training: false, ...again, return: sum, ...counts };
}

/** Of a journal by an earlier version. */
function entryOf({ episode, scored }: JournaledEpisode, evaluation: TasksEvaluation): JournaledGame {
  return { game: gameOf(evaluation, episode, scored) };
}

function nameOf({ id, attempt = 1 }: EvaluatedGame): string {
  return attemptName(id, attempt - 1);
}

/** Fields in one order: a journal sorts its own. */
function ordered({ id, type, won, steps, seen_in_training, ...others }: EvaluatedGame): EvaluatedGame {
  const { attempt, return: sum, fallbacks, repairs } = others;
  return {
    id,
    type,
    won,
    steps,
    seen_in_training,
    ...(attempt !== undefined && { attempt }),
    ...(sum !== undefined && { return: sum }),
    ...(fallbacks !== undefined && { fallbacks }),
    ...(repairs !== undefined && { repairs }),
  };
}
