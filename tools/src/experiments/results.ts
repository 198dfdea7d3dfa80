/** Combines evaluations of several seeds. */
import { existsSync, readFileSync } from 'node:fs';
import { summarize, wilsonInterval, type EvaluatedGame, type EvaluationSummary } from '@emac/rollout';
import { evaluationFile } from './folders.ts';

/** One suite, evaluated after trainings that differ in their seed alone. */
export interface SeedResults {
  /** success of each seed */
  readonly success: readonly number[];
  /** over the games of all seeds */
  readonly pooled: EvaluationSummary;
}

const suffixes = ['', '-0', '-1', '-2', '-3', '-4'];

/** Games of one evaluation; null if it is not there. */
function gamesIn(out: string, name: string, suite: string): readonly EvaluatedGame[] | null {
  const path = evaluationFile(out, name, suite);
  if (!existsSync(path)) return null;
  return (JSON.parse(readFileSync(path, 'utf8')) as { games: EvaluatedGame[] }).games;
}

/** Games of each seed's evaluation of jobs `NAME-SEED` (or NAME alone), as far as they are there. */
function bySeed(out: string, name: string, suite: string): (readonly EvaluatedGame[])[] {
  return suffixes.flatMap((suffix) => {
    const games = gamesIn(out, `${name}${suffix}`, suite);
    return games === null ? [] : [games];
  });
}

/** Two policies in the seeds that both have, of those named. */
export interface SharedSeeds {
  readonly seeds: readonly number[];
  readonly before: readonly (readonly EvaluatedGame[])[];
  readonly after: readonly (readonly EvaluatedGame[])[];
}

export function sharedSeeds(
  out: string,
  {
    names: [first, second],
    suite,
    among,
  }: { names: readonly [string, string]; suite: string; among: readonly number[] },
): SharedSeeds {
  const both = among.flatMap((seed) => {
    const [before, after] = [first, second].map((name) => gamesIn(out, `${name}-${seed}`, suite));
    return before && after ? [{ seed, before, after }] : [];
  });
  return {
    seeds: both.map(({ seed }) => seed),
    before: both.map(({ before }) => before),
    after: both.map(({ after }) => after),
  };
}

/** The combined evaluations; null if there are none. */
export function resultsOf(out: string, name: string, suite: string): SeedResults | null {
  return combined(bySeed(out, name, suite));
}

/** Each seed's games combined; null for none. */
export function combined(games: readonly (readonly EvaluatedGame[])[]): SeedResults | null {
  if (games.length === 0) return null;
  const won = (each: readonly EvaluatedGame[]) => each.filter((game) => game.won).length / each.length;
  return { success: games.map(won), pooled: summarize(games.flat()) };
}

/** `0.95 [0.91, 0.97], seeds 0.94–0.96, 8.1 steps` */
export function resultText({ success, pooled }: SeedResults): string {
  const fixed = (value: number) => value.toFixed(2);
  const [low, high] = pooled.success_ci95!;
  const spread =
    success.length > 1 ? `, seeds ${fixed(Math.min(...success))}–${fixed(Math.max(...success))}` : '';
  return `${fixed(pooled.success!)} [${fixed(low)}, ${fixed(high)}]${spread}, ${pooled.mean_steps!.toFixed(1)} steps`;
}

/** Markdown: a row for each task type, a column for each result. */
export function typeTable(columns: Readonly<Record<string, SeedResults | null>>): string {
  const there = Object.entries(columns).flatMap(([name, result]) =>
    result ? [[name, result] as const] : [],
  );
  const types = [...new Set(there.flatMap(([, { pooled }]) => Object.keys(pooled.by_type)))].sort();
  const cell = ({ pooled }: SeedResults, type: string) => {
    const of = pooled.by_type[type];
    if (!of) return '';
    const [low, high] = wilsonInterval(of.won, of.games)!;
    return `${of.success.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}], ${of.mean_steps.toFixed(1)}`;
  };
  return markdown([
    ['task type', ...there.map(([name]) => name)],
    ...types.map((type) => [type, ...there.map(([, result]) => cell(result, type))]),
    ['all', ...there.map(([, result]) => resultText(result))],
  ]);
}

/** A markdown table; the first row is its head. Rows and columns without any result are left out. */
export function markdown([head, ...body]: readonly (readonly string[])[]): string {
  const rows = body.filter(([, ...results]) => results.some((result) => result !== ''));
  if (rows.length === 0) return 'Not measured yet.';
  const columns = head!.flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []));
  const line = (row: readonly string[]) => `| ${columns.map((column) => row[column]).join(' | ')} |`;
  return [line(head!), `|${' --- |'.repeat(columns.length)}`, ...rows.map(line)].join('\n');
}
