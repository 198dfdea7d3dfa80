/** Evaluation results as cells of tables; success has the form of all pages (`@emac/pages/data`). */
import { kindNamed } from '@emac/opening';
import { evaluatedSuccess, changeWords, rangeWords, ratesOf, rateWords, type Rate } from '@emac/pages/data';
import type { EvaluationResult, EvaluationSummary } from '@emac/rollout';
import { isEnvironmentModule } from '@emac/settings';

export const nothing = '–';

type Results = readonly (EvaluationResult | null)[];

/** Rows of success and its interval, a column for each result: over held-out games, or those seen in training. */
export function successRows(results: Results, on: 'heldOut' | 'seen' = 'heldOut'): string[][] {
  const suffix = on === 'seen' ? ', seen in training' : '';
  const rates = results.map((result) => result && ratesOf(result)[on]);
  return [
    [`success${suffix}`, ...rates.map(rateText)],
    [`95 % interval${suffix}`, ...rates.map(intervalText)],
  ];
}

/** `35 % (7 of 20)` */
export const rateText = (rate: Pick<Rate, 'share' | 'games'> | null) => (rate ? rateWords(rate) : nothing);

/** `18 % to 57 %` */
export const intervalText = (rate: Pick<Rate, 'interval'> | null) =>
  rate?.interval ? rangeWords(rate.interval) : nothing;

/** How success changed over the same games, in a line; none without both results. */
export function changeLines(before: EvaluationResult | null, after: EvaluationResult | null): string[] {
  const success = evaluatedSuccess(before && ratesOf(before), after && ratesOf(after));
  const words = success === null ? '' : changeWords(success);
  return words === '' ? [] : [`change of success: ${words}`];
}

/** Mean steps over held-out games. */
export function stepsText(result: Pick<EvaluationSummary, 'mean_steps'> | null): string {
  return result?.mean_steps == null ? nothing : result.mean_steps.toFixed(1);
}

/** What counts as success in an environment, in a few words. */
export function successOf(env: string): string {
  if (isEnvironmentModule(env)) return 'won';
  const kind = kindNamed(env);
  return kind?.local?.(kind.idOf(env)!).hasGoal ? 'won' : 'return > 0';
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
