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

/** The whole evaluation for people: by type, in all, and games seen in training apart. */
export function evaluationText(result: EvaluationResult): string {
  const rows = Object.entries(result.by_type).map(([type, { games, won, success, mean_steps }]) => [
    type,
    `${won} of ${games}`,
    percent(success),
    mean_steps.toFixed(1),
  ]);
  const games = unseen(result);
  const won = games.filter((game) => game.won).length;
  const all = [
    'all',
    `${won} of ${games.length}`,
    games.length ? percent(won / games.length) : nothing,
    stepsText(result),
  ];
  const lines = [table(['task type', 'won', 'success', 'mean steps'], [...rows, all])];
  if (result.success_ci95) {
    const [low, high] = result.success_ci95;
    lines.push(`95 % interval of success: ${percent(low)} to ${percent(high)}`);
  }
  lines.push(...passLines(result));
  const seen = seenIn(result);
  if (seen.length > 0)
    lines.push(`seen in training, counted apart: ${ratioText(seen)}: ${seen.map(({ id }) => id).join(', ')}`);
  for (const { fault } of result.lost ?? []) lines.push(`lost by its world, not counted: ${fault}`);
  return lines.join('\n');
}

/** `avg@4 63 %, pass@2 70 %, pass@4 75 % (30 % to 95 %)`; none with one attempt at each game. */
export function passLines({ success, pass_at: passes = [] }: EvaluationSummary): readonly string[] {
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
