/**
 * The result of an evaluation: one attempt at each task, or several with sampled answers. The papers report "solved in any of twelve training
 * rounds" instead; here tasks seen in training are counted apart.
 */
import type { Sampling, Trajectory } from '@emac/core';
import {
  meanInterval,
  meanOf,
  rateInterval,
  standardError,
  wilsonInterval,
  type Interval,
} from './intervals.ts';

export interface EvaluatedGame {
  readonly id: string;
  readonly type: string | null;
  readonly won: boolean;
  /** commands given */
  readonly steps: number;
  readonly seen_in_training: boolean;
  /** number of the attempt at this game, from 1; absent if each has one */
  readonly attempt?: number;
  /** undiscounted sum of rewards; absent in results of earlier versions */
  readonly return?: number;
  /** steps with a random action because the answer named none; absent if not counted */
  readonly fallbacks?: number;
  /** steps whose command became the nearest accepted one (`--repair-actions`); absent: none */
  readonly repairs?: number;
}

export interface TypeSummary {
  readonly games: number;
  readonly won: number;
  readonly success: number;
  readonly success_ci95: Interval;
  readonly mean_steps: number;
}

export interface EvaluationSummary {
  /** different ones; absent in results of earlier versions */
  readonly tasks?: number;
  readonly success: number | null;
  readonly success_ci95: Interval | null;
  readonly mean_steps: number | null;
  /** of returns, absent if they were not counted: every task weighs the same */
  readonly mean_return?: number;
  /** of the mean return, over tasks; 0 for one task */
  readonly standard_error?: number;
  /** null for one task */
  readonly return_ci95?: Interval | null;
  /** by task type, in the order of the games; `unknown` without a type */
  readonly by_type: Readonly<Record<string, TypeSummary>>;
  /** absent if each game has one attempt; else rising k up to the number of attempts. `success` is then avg@k */
  readonly pass_at?: readonly PassAt[];
}

/** Share of games that a set of k attempts wins at least once, over all sets of k of the attempts made (Chen et al. 2021). */
export interface PassAt {
  readonly k: number;
  readonly rate: number;
  readonly ci95: Interval;
}

/** A game whose environment failed: it says nothing about the policy and is in no count. */
export interface LostGame {
  readonly id: string;
  readonly fault: string;
}

/** What was evaluated. */
export interface EvaluationSubject {
  readonly env: string;
  /** the model, network or player; its parameters are those of `checkpoint` */
  readonly policy: string;
  readonly sampling: Sampling;
  readonly seed: number;
}

/** The content of `eval.json`: the summary covers games not trained on, `seen` the others. */
export interface EvaluationResult extends EvaluationSummary, Partial<EvaluationSubject> {
  readonly v: 1;
  readonly checkpoint: string;
  readonly games: readonly EvaluatedGame[];
  readonly seen: EvaluationSummary;
  /** absent if none was lost */
  readonly lost?: readonly LostGame[];
}

/** Counts an attempt. */
export function evaluatedGame(
  { task, steps, won }: Trajectory,
  { trainedOn }: { readonly trainedOn: ReadonlySet<string> },
): EvaluatedGame {
  return {
    id: task.id,
    type: task.type,
    won,
    steps: steps.length,
    seen_in_training: trainedOn.has(task.id),
    return: steps.reduce((sum, { result }) => sum + result.reward, 0),
  };
}

/** Of games in the order of their tasks. */
export function evaluationResult<Game extends EvaluatedGame>(
  games: readonly Game[],
  { lost = [], ...subject }: Partial<EvaluationSubject> & Pick<EvaluationResult, 'checkpoint' | 'lost'>,
): EvaluationResult & { readonly games: readonly Game[] } {
  const [unseen, seen] = [false, true].map((isSeen) =>
    summarize(games.filter((game) => game.seen_in_training === isSeen)),
  );
  return { v: 1, ...subject, games, ...unseen!, seen: seen!, ...(lost.length > 0 && { lost }) };
}

/** Success rate, its interval and mean steps, over all games and by type; of several attempts also pass@k. */
export function summarize(games: readonly EvaluatedGame[]): EvaluationSummary {
  const types = [...new Set(games.map(({ type }) => type ?? 'unknown'))];
  const byType = types.map((type) => {
    const ofType = games.filter((game) => (game.type ?? 'unknown') === type);
    const won = countWon(ofType);
    const { length } = ofType;
    const rates = { success: won / length, success_ci95: successInterval(ofType)! };
    return [type, { games: length, won, ...rates, mean_steps: meanSteps(ofType)! }] as const;
  });
  const passes = passesAt(games);
  return {
    tasks: byTask(games).length,
    success: games.length > 0 ? countWon(games) / games.length : null,
    success_ci95: successInterval(games),
    mean_steps: meanSteps(games),
    ...summarizeReturns(games),
    by_type: Object.fromEntries(byType),
    ...(passes && { pass_at: passes }),
  };
}

/** Empty unless every game has a return. */
function summarizeReturns(games: readonly EvaluatedGame[]) {
  if (games.length === 0 || games.some((game) => game.return === undefined)) return {};
  const means = byTask(games).map((all) => meanOf(all.map((game) => game.return!)));
  return {
    mean_return: meanOf(means),
    standard_error: standardError(means),
    return_ci95: meanInterval(means),
  };
}

function successInterval(games: readonly EvaluatedGame[]): Interval | null {
  const tasks = wonByTask(games);
  return tasks === null
    ? wilsonInterval(countWon(games), games.length)
    : rateInterval(
        tasks.map(({ won, attempts }) => won / attempts),
        Math.max(...tasks.map(({ attempts }) => attempts)),
      );
}

/** pass@k for k of 1, 2, 4 … and the number of attempts; null with one attempt at each game. */
function passesAt(games: readonly EvaluatedGame[]): readonly PassAt[] | null {
  const tasks = wonByTask(games);
  if (tasks === null) return null;
  // a game that its environment lost once has fewer attempts than the others
  const most = Math.min(...tasks.map(({ attempts }) => attempts));
  const powers = Array.from({ length: Math.ceil(Math.log2(most)) }, (_, power) => 2 ** power);
  return [...powers, most].map((k) => {
    const rates = tasks.map(({ won, attempts }) => passRate(attempts, won, k));
    const rate = rates.reduce((sum, each) => sum + each, 0) / rates.length;
    return { k, rate, ci95: rateInterval(rates, Math.max(1, most / k))! };
  });
}

/**
 * Share of the sets of `k` among `attempts` with at least one of the `won` ones: 1 − C(attempts − won, k) / C(attempts, k)
 * (equation 1 of Chen et al. 2021, arXiv 2107.03374).
 */
export function passRate(attempts: number, won: number, k: number): number {
  let without = 1;
  for (let each = 0; each < k; each++) without *= Math.max(0, attempts - won - each) / (attempts - each);
  return 1 - without;
}

interface TaskAttempts {
  readonly won: number;
  readonly attempts: number;
}

/** Null if each game has one attempt. */
function wonByTask(games: readonly EvaluatedGame[]): readonly TaskAttempts[] | null {
  const tasks = byTask(games);
  if (tasks.length === games.length) return null;
  return tasks.map((all) => ({ won: countWon(all), attempts: all.length }));
}

function byTask(games: readonly EvaluatedGame[]): EvaluatedGame[][] {
  const tasks = new Map<string, EvaluatedGame[]>();
  for (const game of games) tasks.set(game.id, [...(tasks.get(game.id) ?? []), game]);
  return [...tasks.values()];
}

function countWon(games: readonly EvaluatedGame[]): number {
  return games.filter(({ won }) => won).length;
}

function meanSteps(games: readonly EvaluatedGame[]): number | null {
  return games.length > 0 ? meanOf(games.map(({ steps }) => steps)) : null;
}
