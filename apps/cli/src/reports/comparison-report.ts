/** A comparison of policies as rows, for the terminal, a page and Markdown. */
import type { Comparison, ComparisonRow } from '@emac/experiment';
import type { PairedDifference } from '@emac/rollout';
import { counted, dollars, grouped } from '../terminal/amounts.ts';
import { nothing, percent, rangeText, returnText } from './evaluation-report.ts';

export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A row for every policy. */
export function policyTable({ policies }: Comparison): TextTable {
  const attempts = policies.some((row) => row.pass_at);
  const services = policies.some((row) => row.service);
  return {
    head: [
      'policy',
      attempts ? 'avg@k' : 'success',
      '95 % interval',
      ...(attempts ? ['pass@k'] : []),
      'mean return ± 95 %',
      'mean steps',
      'seconds',
      ...(services ? ['requests', 'tokens in, out', 'cost'] : []),
    ],
    rows: policies.map((row) => [
      row.policy,
      row.success === null ? nothing : percent(row.success),
      rangeText(row.success_ci95, percent),
      ...(attempts ? [passText(row)] : []),
      returnText(row),
      row.mean_steps === null ? nothing : row.mean_steps.toFixed(1),
      row.seconds === null ? nothing : row.seconds.toFixed(1),
      ...(services ? serviceTexts(row) : []),
    ]),
  };
}

/** Every policy minus the first one, on the same tasks; null without any. */
export function differenceTable({ differences }: Comparison): TextTable | null {
  if (differences.length === 0) return null;
  return {
    head: ['difference', 'tasks', 'success', '95 % interval', 'p', 'return', '95 % interval'],
    rows: differences.map(({ policy, from, success, return: sum }) => [
      `${policy} − ${from}`,
      String(success.tasks),
      ...differenceTexts(success, (value) => `${signed(Math.round(100 * value))} %`),
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

function differenceTexts(of: PairedDifference | null, shown: (value: number) => string): string[] {
  return of === null ? [nothing, nothing] : [shown(of.difference), rangeText(of.ci95, shown)];
}

function passText({ pass_at: passes = [] }: ComparisonRow): string {
  const last = passes.at(-1);
  return last === undefined
    ? nothing
    : `pass@${last.k} ${percent(last.rate)} (${rangeText(last.ci95, percent)})`;
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
