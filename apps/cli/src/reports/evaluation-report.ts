/** Evaluation results as rows and sentences. */
import type { EvaluatedGame, EvaluationResult, EvaluationSummary } from '@emac/rollout';
import { isEnvironmentModule } from '@emac/settings';
import { table } from '../terminal/table.ts';

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

/** The whole evaluation for people: by type if there are several, in all, and games seen in training apart. */
export function evaluationText(result: EvaluationResult): string {
  const types = Object.entries(result.by_type).map(
    ([type, { games, won, success, success_ci95, mean_steps }]) => [
      type,
      `${won} of ${games}`,
      percent(success),
      rangeText(success_ci95, percent),
      mean_steps.toFixed(1),
    ],
  );
  const games = unseen(result);
  const steps = games.reduce((sum, each) => sum + each.steps, 0);
  const fallbacks = games.reduce((sum, each) => sum + (each.fallbacks ?? 0), 0);
  const rows = [
    ['success', ratioText(games)],
    ['95 % interval', rangeText(result.success_ci95, percent)],
    ['mean return ± 95 %', returnText(result)],
    ['mean steps', stepsText(result)],
    ...(games.some((game) => game.fallbacks !== undefined)
      ? [['fallback actions', `${((100 * fallbacks) / steps).toFixed(1)} %`]]
      : []),
  ];
  const seen = seenIn(result);
  return [
    ...(types.length > 1
      ? [table(['task type', 'won', 'success', '95 % interval', 'mean steps'], types)]
      : []),
    table([result.env ?? '', result.policy ?? result.checkpoint], rows),
    ...passLines(result),
    ...(seen.length > 0
      ? [`seen in training, counted apart: ${ratioText(seen)}: ${seen.map(({ id }) => id).join(', ')}`]
      : []),
    ...(result.lost ?? []).map(({ fault }) => `lost by its world, not counted: ${fault}`),
  ].join('\n');
}

/** `avg@4 63 %, pass@2 70 %, pass@4 75 % (30 % to 95 %)`; none with one attempt at each game. */
function passLines({ success, pass_at: passes = [] }: EvaluationSummary): readonly string[] {
  const last = passes.at(-1);
  if (last === undefined) return [];
  const between = passes.slice(1, -1).map(({ k, rate }) => `pass@${k} ${percent(rate)}, `);
  const [low, high] = last.ci95;
  const whole = `pass@${last.k} ${percent(last.rate)} (${percent(low)} to ${percent(high)})`;
  return [`avg@${last.k} ${percent(success!)}, ${between.join('')}${whole}`];
}

function unseen(result: EvaluationResult | null): readonly EvaluatedGame[] {
  return result?.games.filter((game) => !game.seen_in_training) ?? [];
}

function seenIn(result: EvaluationResult | null): readonly EvaluatedGame[] {
  return result?.games.filter((game) => game.seen_in_training) ?? [];
}

function ratioText(games: readonly EvaluatedGame[]): string {
  if (games.length === 0) return nothing;
  const won = games.filter((game) => game.won).length;
  return `${percent(won / games.length)} (${won} of ${games.length})`;
}

/** What counts as success in an environment, in a few words. */
export function successOf(env: string): string {
  return isEnvironmentModule(env) ? 'won' : 'return > 0';
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
