/** A comparison of policies as rows, for the terminal, a page and Markdown. */
import { comparisonRow, type Comparison, type ComparisonRow } from '@emac/experiment';
import { percent, pointsWords, rangeWords, ratesOf, rateWords } from '@emac/pages/data';
import type { EvaluationResult, PairedDifference } from '@emac/rollout';
import { counted, dollars, grouped } from '../terminal/amounts.ts';
import { table } from '../terminal/table.ts';
import { intervalText, nothing, rateText, returnText } from './evaluation-report.ts';

export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A row for every policy. */
export function policyTable({ policies }: Pick<Comparison, 'policies'>, named = 'policy'): TextTable {
  const attempts = policies.some((row) => row.pass_at);
  const services = policies.some((row) => row.service);
  const [counts, repairs, timed] = [
    policies.some(({ fallbacks }) => (fallbacks ?? 0) > 0),
    policies.some((row) => row.repairs !== undefined),
    policies.some((row) => row.seconds !== null),
  ];
  return {
    head: [
      named,
      attempts ? 'avg@k' : 'success',
      '95 % interval',
      ...(attempts ? ['pass@k'] : []),
      'mean return ± 95 %',
      'mean steps',
      ...(counts ? ['fallback actions'] : []),
      ...(repairs ? ['repaired commands'] : []),
      ...(timed ? ['seconds'] : []),
      ...(services ? ['requests', 'tokens in, out', 'cost'] : []),
    ],
    rows: policies.map((row) => [
      row.policy,
      rateText(row.success === null ? null : { share: row.success, games: row.episodes }),
      intervalText({ interval: row.success_ci95 }),
      ...(attempts ? [passText(row)] : []),
      returnText(row),
      row.mean_steps === null ? nothing : row.mean_steps.toFixed(1),
      ...(counts ? [shareText(row.fallbacks, row)] : []),
      ...(repairs ? [shareText(row.repairs ?? 0, row)] : []),
      ...(timed ? [row.seconds === null ? nothing : row.seconds.toFixed(1)] : []),
      ...(services ? serviceTexts(row) : []),
    ]),
  };
}

/** The evaluation of one policy for people: by type if there are several, in all, and games seen in training apart. */
export function evaluationText(result: EvaluationResult): string {
  const types = Object.entries(result.by_type).map(
    ([type, { games, won, success, success_ci95, mean_steps }]) => [
      type,
      `${won} of ${games}`,
      percent(success),
      rangeWords(success_ci95),
      mean_steps.toFixed(1),
    ],
  );
  const policy = result.policy ?? result.checkpoint;
  const row = comparisonRow({ policy, result, folder: null, reason: null, seconds: null, service: null });
  const { head, rows } = policyTable({ policies: [row] }, `policy in ${result.env ?? 'ALFWorld'}`);
  const { seen } = ratesOf(result);
  const games = result.games.filter((game) => game.seen_in_training);
  return [
    ...(types.length > 1
      ? [table(['task type', 'won', 'success', '95 % interval', 'mean steps'], types)]
      : []),
    table(head, rows),
    ...(seen === null
      ? []
      : [`seen in training, counted apart: ${rateWords(seen)}: ${games.map(({ id }) => id).join(', ')}`]),
    ...(result.lost ?? []).map(({ fault }) => `lost by its world, not counted: ${fault}`),
  ].join('\n');
}

/** Every policy minus the first one, on the same tasks; null without any. */
export function differenceTable({ differences }: Comparison): TextTable | null {
  if (differences.length === 0) return null;
  return {
    head: ['difference', 'tasks', 'success', '95 % interval', 'p', 'return', '95 % interval'],
    rows: differences.map(({ policy, from, success, return: sum }) => [
      `${policy} − ${from}`,
      String(success.tasks),
      ...differenceTexts(success, pointsWords),
      success.p === undefined ? nothing : success.p.toPrecision(2),
      ...differenceTexts(sum, (value) => signed(value, 3)),
    ]),
  };
}

/** What was played, and why a policy has no row. */
export function comparisonLines({ env, tasks, attempts, temperature, policies }: Comparison): string[] {
  const isAll = policies.every((row) => row.success === null || row.pass_at);
  const often =
    attempts === 1 ? '' : `, ${attempts} attempts each${isAll ? '' : ', one where nothing is drawn'}`;
  const how = temperature === 0 ? 'greedy answers' : `temperature ${temperature}`;
  return [
    `${counted(tasks, 'held-out task')} of ${env ?? 'ALFWorld'}, the same for all policies${often}; ${how}`,
    ...policies.flatMap(({ policy, reason }) => (reason === null ? [] : [`${policy}: ${reason}`])),
  ];
}

/** The table in Markdown. */
export function markdown({ head, rows }: TextTable): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The difference, and its interval. */
function differenceTexts(of: PairedDifference | null, shown: (value: number) => string): string[] {
  if (of === null) return [nothing, nothing];
  return [shown(of.difference), of.ci95 === null ? nothing : of.ci95.map(shown).join(' to ')];
}

/** Share of the steps. */
function shareText(count: number | null, { mean_steps: steps, episodes }: ComparisonRow): string {
  return count === null || steps === null ? nothing : `${((100 * count) / (steps * episodes)).toFixed(1)} %`;
}

/** `pass@2 70 %, pass@4 75 % (30 % to 95 %)`. */
function passText({ pass_at: passes = [] }: ComparisonRow): string {
  const last = passes.at(-1);
  if (last === undefined) return nothing;
  const rates = passes.slice(1).map(({ k, rate }) => `pass@${k} ${percent(rate)}`);
  return `${rates.join(', ')} (${rangeWords(last.ci95)})`;
}

function serviceTexts({ service }: ComparisonRow): string[] {
  if (service === null) return [nothing, nothing, nothing];
  const { requests, promptTokens, answerTokens, cost } = service;
  const tokens = `${grouped(promptTokens)}, ${grouped(answerTokens)}`;
  return [grouped(requests), tokens, cost === null ? nothing : dollars(cost)];
}

function signed(value: number, digits = 0): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : `+${text}`;
}
