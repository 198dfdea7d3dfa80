/** Evaluation results as rows and sentences. */
import { kindNamed } from '@emac/opening';
import type { EvaluatedGame, EvaluationResult, EvaluationSummary } from '@emac/rollout';
import { isEnvironmentModule } from '@emac/settings';

export const nothing = '–';

/** `35 % (7 of 20)` over held-out games. */
export function successText(result: EvaluationResult | null): string {
  return ratioText(unseen(result));
}

/** The same over games seen in training. */
export function seenSuccessText(result: EvaluationResult | null): string {
  return ratioText(seenIn(result));
}

/** Mean steps over held-out games. */
export function stepsText(result: Pick<EvaluationSummary, 'mean_steps'> | null): string {
  return result?.mean_steps == null ? nothing : result.mean_steps.toFixed(1);
}

function unseen(result: EvaluationResult | null): readonly EvaluatedGame[] {
  return result?.games.filter((game) => !game.seen_in_training) ?? [];
}

export function seenIn(result: EvaluationResult | null): readonly EvaluatedGame[] {
  return result?.games.filter((game) => game.seen_in_training) ?? [];
}

export function ratioText(games: readonly EvaluatedGame[]): string {
  if (games.length === 0) return nothing;
  const won = games.filter((game) => game.won).length;
  return `${percent(won / games.length)} (${won} of ${games.length})`;
}

/** What counts as success in an environment, in a few words. */
export function successOf(env: string): string {
  if (isEnvironmentModule(env)) return 'won';
  const kind = kindNamed(env);
  return kind?.local?.(kind.idOf(env)!).hasGoal ? 'won' : 'return > 0';
}

/** In whole hundredths. */
export function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}

/** `29 % to 81 %`. */
export function rangeText(range: readonly [number, number] | null, shown: (value: number) => string): string {
  return range === null ? nothing : range.map(shown).join(' to ');
}

interface Returns {
  readonly mean_return?: number | null;
  readonly return_ci95?: readonly [number, number] | null;
}

/** `0.512 ± 0.041`, half the width of the 95 % interval. */
export function returnText({ mean_return: mean, return_ci95: range }: Returns): string {
  if (mean == null) return nothing;
  return range == null ? mean.toFixed(3) : `${mean.toFixed(3)} ± ${(range[1] - mean).toFixed(3)}`;
}
