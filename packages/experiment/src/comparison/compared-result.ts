/** The result of a comparison: a row for every policy, and paired differences to the first one. */
import type { SpentOnLabels } from '@emac/opening';
import {
  pairedScores,
  pairedWins,
  type EvaluatedGame,
  type EvaluationResult,
  type Interval,
  type Pair,
  type PairedDifference,
  type PassAt,
} from '@emac/rollout';
import type { EvaluationConfig } from '@emac/settings';
import type { ComparedTasks } from './compared-tasks.ts';

/** A policy that has played, or the reason why it cannot. */
export interface ComparedPolicy {
  readonly policy: string;
  readonly reason: string | null;
  /** of its own result, within the comparison's; null if not kept */
  readonly folder: string | null;
  readonly result: EvaluationResult | null;
  readonly seconds: number | null;
  /** tokens and cost of a service; null without one */
  readonly service: SpentOnLabels | null;
}

/** A policy in the result; games that it was trained on are not counted. */
export interface ComparisonRow {
  readonly policy: string;
  readonly folder: string | null;
  /** why it has no result; null if it has one */
  readonly reason: string | null;
  readonly episodes: number;
  readonly success: number | null;
  readonly success_ci95: Interval | null;
  /** null if its evaluation counts no returns */
  readonly mean_return: number | null;
  readonly return_ci95: Interval | null;
  readonly mean_steps: number | null;
  /** absent with one attempt */
  readonly pass_at?: readonly PassAt[];
  /** steps with a drawn action because the policy named none; null if not counted */
  readonly fallbacks: number | null;
  /** steps whose command was repaired; absent: none */
  readonly repairs?: number;
  readonly seconds: number | null;
  readonly service: SpentOnLabels | null;
}

/** A policy minus the first one, over tasks that both played and neither was trained on. */
export interface ComparisonDifference {
  readonly policy: string;
  readonly from: string;
  readonly success: PairedDifference;
  readonly return: PairedDifference | null;
}

/** The content of `comparison.json`. */
export interface Comparison {
  readonly v: 1;
  /** null for games */
  readonly env: string | null;
  readonly tasks: number;
  readonly attempts: number;
  readonly temperature: number;
  readonly seed: number;
  readonly policies: readonly ComparisonRow[];
  readonly differences: readonly ComparisonDifference[];
}

interface Compared {
  readonly env: string | null;
  readonly evaluation: Pick<EvaluationConfig, 'attempts' | 'temperature' | 'seed'>;
  readonly where: ComparedTasks;
  readonly rows: readonly ComparedPolicy[];
}

export function comparedResult({ env, evaluation, where, rows }: Compared): Comparison {
  const { attempts, temperature, seed } = evaluation;
  const [first, ...others] = rows;
  const differences = others.flatMap((other) => differenceOf(first!, other) ?? []);
  const policies = rows.map(comparisonRow);
  return { v: 1, env, tasks: where.tasks.length, attempts, temperature, seed, policies, differences };
}

/** Games that it was trained on are not counted. */
export function comparisonRow(compared: ComparedPolicy): ComparisonRow {
  const { policy, folder, reason, result, seconds, service } = compared;
  const games = unseenIn(compared);
  const repairs = games.reduce((sum, game) => sum + (game.repairs ?? 0), 0);
  return {
    policy,
    folder,
    reason,
    episodes: games.length,
    success: result?.success ?? null,
    success_ci95: result?.success_ci95 ?? null,
    mean_return: result?.mean_return ?? null,
    return_ci95: result?.return_ci95 ?? null,
    mean_steps: result?.mean_steps ?? null,
    ...(result?.pass_at && { pass_at: result.pass_at }),
    fallbacks: games.some(({ fallbacks }) => fallbacks !== undefined)
      ? games.reduce((sum, { fallbacks = 0 }) => sum + fallbacks, 0)
      : null,
    ...(repairs > 0 && { repairs }),
    seconds,
    service,
  };
}

function unseenIn({ result }: ComparedPolicy): readonly EvaluatedGame[] {
  return result?.games.filter((game) => !game.seen_in_training) ?? [];
}

function hasReturns(games: readonly EvaluatedGame[]): boolean {
  return games.length > 0 && games.every((game) => game.return !== undefined);
}

/** Null without a task that both played. */
function differenceOf(first: ComparedPolicy, other: ComparedPolicy): ComparisonDifference | null {
  const wins = pairsOf(first, other, ({ won }) => (won ? 1 : 0));
  const isOnce = [first, other].every(({ result }) => !result?.pass_at);
  const success = isOnce ? pairedWins(wins) : pairedScores(wins, 1);
  if (success === null) return null;
  const both = [first, other].every((each) => hasReturns(unseenIn(each)));
  const returns = both ? pairedScores(pairsOf(first, other, (game) => game.return!)) : null;
  return { policy: other.policy, from: first.policy, success, return: returns };
}

/** Means over the attempts at each task. */
function pairsOf(first: ComparedPolicy, other: ComparedPolicy, of: (game: EvaluatedGame) => number): Pair[] {
  const [ours, theirs] = [first, other].map((each) => meansByTask(unseenIn(each), of));
  return [...ours!].flatMap(([id, score]): Pair[] => {
    const its = theirs!.get(id);
    return its === undefined ? [] : [[score, its]];
  });
}

function meansByTask(
  games: readonly EvaluatedGame[],
  of: (game: EvaluatedGame) => number,
): ReadonlyMap<string, number> {
  const scores = new Map<string, number[]>();
  for (const game of games) scores.set(game.id, [...(scores.get(game.id) ?? []), of(game)]);
  return new Map([...scores].map(([id, all]) => [id, all.reduce((sum, each) => sum + each, 0) / all.length]));
}
