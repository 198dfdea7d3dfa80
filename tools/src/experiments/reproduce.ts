/**
 * Makes every run behind the tables of results, and writes these to OUT/results.md. What is done is not done again; a training that
 * was stopped goes on.
 * Usage: node tools/dist/experiments/reproduce.js OUT [--games json_2.1.1] [--only NAME] [--list]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, openSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createFolder } from '@emac/files';
import { jobsOf, type Job } from './jobs.ts';
import { writeResults } from './write-results.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const [out] = positionals;
if (!out) throw new Error('usage: reproduce OUT [--games FOLDER] [--only NAME] [--list]');
const emac = resolve(import.meta.dirname, '../../../apps/cli/bin/emac.mjs');
const real = values.games ?? null;
const hasUnseen = real !== null && existsSync(join(real, 'valid_unseen'));

/** Runs one command, its output in a file; ends where it fails. */
function run(args: readonly string[], log: string): void {
  process.stdout.write(`emac ${args.join(' ')}\n`);
  if (values.list) return;
  const file = openSync(log, 'a');
  const { status } = spawnSync(process.execPath, [emac, ...args], { stdio: ['ignore', file, file] });
  if (status !== 0) throw new Error(`emac ${args.join(' ')} ended with ${status}: see ${log}`);
}

/** The only run in a job's folder; undefined where none has begun. */
function runOf(name: string): string | undefined {
  const folder = join(out!, 'runs', name);
  const found = existsSync(folder) ? readdirSync(folder).filter((each) => !each.endsWith('.log')) : [];
  return found[0] && join(folder, found[0]);
}

function train({ name, train: flags, reference }: Job): void {
  const folder = join(out!, 'runs', name);
  if (flags === null) return;
  const begun = runOf(name);
  if (begun && existsSync(join(begun, 'DONE'))) return;
  if (!values.list) createFolder(folder);
  const log = join(folder, 'output.log');
  const ref = reference === undefined ? [] : ['--ref', runOf(reference) ?? `RUN-OF-${reference}`];
  run(begun ? ['train', '--resume', begun] : ['train', ...flags, ...ref, '--out', folder], log);
}

function evaluate({ name, train: flags, evaluations }: Job): void {
  const folder = join(out!, 'evaluations', name);
  for (const [suite, settings] of Object.entries(evaluations)) {
    const result = join(folder, `${suite.replaceAll(' ', '-')}.json`);
    if (existsSync(result)) continue;
    if (!values.list) createFolder(folder);
    const ckpt = flags === null ? 'emma-tiny' : (runOf(name) ?? `RUN-OF-${name}`);
    run(['eval', '--ckpt', ckpt, ...settings, '--out', result], join(folder, 'output.log'));
  }
}

for (const job of jobsOf({ real, hasUnseen })) {
  if (values.only !== undefined && !job.name.startsWith(values.only)) continue;
  train(job);
  evaluate(job);
}
if (!values.list) writeResults(out);
