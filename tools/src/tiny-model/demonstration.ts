/**
 * Shared by demonstrations: public `emac` commands (finished work is not repeated, a stopped training resumes), and
 * their results.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRecord } from '@emac/runs';

const program = resolve(import.meta.dirname, '../../../apps/cli/bin/emac.mjs');

/** Runs `emac` with its output in a file; throws if it fails. */
async function runEmac(args: readonly string[], log: string): Promise<void> {
  process.stderr.write(`emac ${args.join(' ')}\n`);
  const file = openSync(log, 'a');
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', file, file] });
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  closeSync(file);
  if (status !== 0) throw new Error(`emac ${args.join(' ')} ended with ${status ?? signal}: see ${log}`);
}

/** The runs of a folder by seed; none if the folder is missing. */
export function runsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const runs = readdirSync(folder).map((name) => join(folder, name));
  return runs.sort((one, other) => seedOf(one) - seedOf(other));
}

function seedOf(path: string): number {
  return Number(readRecord(path).seed);
}

/** The `count` runs that a command of training makes in a folder. */
export async function trainedRuns(
  folder: string,
  { args, count }: { readonly args: readonly string[]; readonly count: number },
): Promise<readonly string[]> {
  const found = runsIn(folder);
  if (found.length === 0) await runEmac([...args, '--out', folder], `${folder}.log`);
  else if (found.length < count || found.some((run) => !existsSync(join(run, 'DONE'))))
    await runEmac([args[0]!, '--resume', found[0]!], `${folder}.log`);
  return runsIn(folder);
}

/** The one run that a command of training makes in a folder. */
export async function trainedRun(folder: string, args: readonly string[]): Promise<string> {
  const [run] = await trainedRuns(folder, { args, count: 1 });
  return run!;
}

/** An evaluation (`['eval', …]`) in a folder. */
export async function evaluatedIn(folder: string, args: readonly string[]): Promise<void> {
  if (!existsSync(join(folder, 'eval.json'))) await runEmac([...args, '--out', folder], `${folder}.log`);
}

/** A dataset (`['collect', …]`) in a folder. */
export async function collectedIn(folder: string, args: readonly string[]): Promise<void> {
  if (!existsSync(join(folder, 'collection.json')))
    await runEmac([...args, '--out', folder], `${folder}.log`);
}

/** An evaluation's result; null if missing. */
export function evaluationIn<Evaluation>(folder: string, file = 'eval.json'): Evaluation | null {
  const path = join(folder, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Evaluation) : null;
}

/** An episode of an evaluation. */
export interface Episode {
  readonly won: boolean;
}

/** The episodes of an evaluation in each of these folders that has one. */
export function episodesIn(folders: readonly string[]): readonly (readonly Episode[])[] {
  return folders.flatMap((folder) => {
    const found = evaluationIn<{ games: Episode[] }>(folder);
    return found ? [found.games] : [];
  });
}

/** From 0 to 1. */
export function shareWon(episodes: readonly Episode[]): number {
  return episodes.filter(({ won }) => won).length / episodes.length;
}

/** A table cell: mean and values over the seeds; empty without any. */
export function meanAndEach(values: readonly number[]): string {
  if (values.length === 0) return '';
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return `${mean.toFixed(3)} (${values.map((value) => value.toFixed(3)).join(', ')})`;
}

/** Does something for all, so many at a time. */
export async function each<Item>(
  items: readonly Item[],
  { jobs, act }: { readonly jobs: number; readonly act: (item: Item) => Promise<void> },
): Promise<void> {
  const waiting = [...items];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: jobs }, work));
}
