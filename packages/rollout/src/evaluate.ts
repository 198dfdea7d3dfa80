/**
 * Evaluates a policy: one attempt at each task, no expert, no memories, no training. The papers report "solved in any
 * of twelve training rounds" instead; here tasks seen in training are counted apart.
 */
import type { Trajectory } from '@emac/core';
import type { RolloutEvent } from './attempt.ts';
import { playAlone, type PlayAlone } from './play-alone.ts';
import { wilsonInterval } from './wilson.ts';

export interface EvaluatedGame {
  readonly id: string;
  readonly type: string | null;
  readonly won: boolean;
  /** commands given; the step limit for a failure */
  readonly steps: number;
  readonly seen_in_training: boolean;
}

export interface TypeSummary {
  readonly games: number;
  readonly won: number;
  readonly success: number;
  readonly success_ci95: readonly [number, number];
  readonly mean_steps: number;
}

export interface EvaluationSummary {
  readonly success: number | null;
  readonly success_ci95: readonly [number, number] | null;
  readonly mean_steps: number | null;
  /** by task type, in the order of the games; `unknown` without a type */
  readonly by_type: Readonly<Record<string, TypeSummary>>;
}

/** A game whose environment failed: it says nothing about the policy and is in no count. */
export interface LostGame {
  readonly id: string;
  readonly fault: string;
}

/** The content of `eval.json`: the summary covers games not trained on, `seen` the others. */
export interface EvaluationResult extends EvaluationSummary {
  readonly v: 1;
  readonly checkpoint: string;
  readonly games: readonly EvaluatedGame[];
  readonly seen: EvaluationSummary;
  /** absent if none was lost */
  readonly lost?: readonly LostGame[];
}

export interface Evaluation extends Omit<PlayAlone, 'known'> {
  /** checkpoint name in the result */
  readonly checkpoint: string;
  readonly trainedOn: ReadonlySet<string>;
  /** games evaluated before an interruption, by id; not played again */
  readonly known?: ReadonlyMap<string, EvaluatedGame>;
  /** called for every played game, at its end */
  readonly onGame?: (game: EvaluatedGame, trajectory: Trajectory) => void | Promise<void>;
}

/** Plays every task of the environment once. Errors: those of `rollout`. */
export async function evaluate(evaluation: Evaluation): Promise<EvaluationResult> {
  const { checkpoint, trainedOn, known, onGame, ...play } = evaluation;
  const games = new Map(known);
  const lost: LostGame[] = [];
  const report = async (event: RolloutEvent): Promise<void> => {
    await play.report?.(event);
    if (event.kind !== 'episode-end') return;
    const { task, end, fault = '' } = event.trajectory;
    if (end === 'lost') return void lost.push({ id: task.id, fault });
    const game = evaluatedGame(event.trajectory, { maxSteps: play.maxSteps, trainedOn });
    games.set(game.id, game);
    await onGame?.(game, event.trajectory);
  };
  await playAlone({ ...play, report, ...(known && { known }) });
  const played = play.environment.tasks.flatMap(({ id }) => games.get(id) ?? []);
  return { ...resultOf(played, checkpoint), ...(lost.length > 0 && { lost }) };
}

/** Counts an attempt; a failure counts `maxSteps`, however soon it ended. */
export function evaluatedGame(
  { task, steps, won }: Trajectory,
  { maxSteps, trainedOn }: Pick<Evaluation, 'maxSteps' | 'trainedOn'>,
): EvaluatedGame {
  return {
    id: task.id,
    type: task.type,
    won,
    steps: won ? steps.length : maxSteps,
    seen_in_training: trainedOn.has(task.id),
  };
}

function resultOf(games: readonly EvaluatedGame[], checkpoint: string): EvaluationResult {
  const unseen = games.filter((game) => !game.seen_in_training);
  const seen = games.filter((game) => game.seen_in_training);
  return { v: 1, checkpoint, games, ...summarize(unseen), seen: summarize(seen) };
}

/** Success rate, its interval and mean steps, over all games and by type. */
export function summarize(games: readonly EvaluatedGame[]): EvaluationSummary {
  const types = [...new Set(games.map(({ type }) => type ?? 'unknown'))];
  const byType = types.map((type) => {
    const ofType = games.filter((game) => (game.type ?? 'unknown') === type);
    const won = countWon(ofType);
    const { length } = ofType;
    const rates = { success: won / length, success_ci95: wilsonInterval(won, length)! };
    return [type, { games: length, won, ...rates, mean_steps: meanSteps(ofType)! }] as const;
  });
  return {
    success: games.length > 0 ? countWon(games) / games.length : null,
    success_ci95: wilsonInterval(countWon(games), games.length),
    mean_steps: meanSteps(games),
    by_type: Object.fromEntries(byType),
  };
}

function countWon(games: readonly EvaluatedGame[]): number {
  return games.filter(({ won }) => won).length;
}

function meanSteps(games: readonly EvaluatedGame[]): number | null {
  return games.length > 0 ? games.reduce((sum, { steps }) => sum + steps, 0) / games.length : null;
}
