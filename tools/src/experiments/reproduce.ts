/**
 * Runs every experiment behind docs/background/results.md and fills that document's tables and charts. Finished work is not
 * repeated; a stopped training resumes.
 * Usage: node tools/dist/experiments/reproduce.js OUT [--games json_2.1.1] [--only NAME] [--jobs 2] [--list]
 * [--document FILE]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '@emac/core';
import { createFolder, writeFileAtomic } from '@emac/files';
import { drawGames, listGames } from '@emac/opening';
import { evaluationFile, runOf } from './folders.ts';
import { jobsOf, suitesOf, type Dataset, type Job, type Suite } from './jobs.ts';
import { permuteLabels } from './permute-labels.ts';
import { players, playScripted, type Player } from './players.ts';
import { writeDocument } from './write-document.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    games: { type: 'string' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
    document: {
      type: 'string',
      default: resolve(import.meta.dirname, '../../../docs/background/results.md'),
    },
  },
});
const out = positionals[0]!;
if (!out)
  throw new Error(
    'usage: reproduce OUT [--games FOLDER] [--only NAME] [--jobs N] [--list] [--document docs/background/results.md]',
  );
const emac = resolve(import.meta.dirname, '../../../apps/cli/bin/emac.mjs');
const otherFrames = join(import.meta.dirname, 'other-frames.js');
const constantVector = join(import.meta.dirname, 'constant-vector.js');

/** Runs one program with its output in a file; throws if it fails. */
async function runProgram(program: string, args: readonly string[], log: string): Promise<void> {
  const said = `${basename(program, extname(program))} ${args.join(' ')}`;
  process.stdout.write(`${said}\n`);
  if (values.list) return;
  const file = openSync(log, 'a');
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', file, file] });
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  closeSync(file);
  if (status !== 0) throw new Error(`${said} ended with ${status ?? signal}: see ${log}`);
}

const run = (args: readonly string[], log: string) => runProgram(emac, args, log);

/** A job's run, or how a list names it. */
const runNamed = (name: string) => runOf(out, name) ?? `RUN-OF-${name}`;

function makeFolder(folder: string): string {
  if (!values.list) createFolder(folder);
  return folder;
}

/** Collects a dataset; returns the flags that name it. */
async function collect(name: string, { playedBy, collect: flags, permuted }: Dataset): Promise<string[]> {
  const folder = join(makeFolder(join(out, 'datasets')), name);
  const dataset = join(folder, 'train.json');
  if (!existsSync(dataset))
    await run(['collect', ...flags, '--ckpt', runNamed(playedBy), '--out', folder], `${folder}.log`);
  if (permuted === null) return ['--data', dataset];
  const changed = join(folder, 'permuted.json');
  if (!values.list && !existsSync(changed)) {
    const records = JSON.parse(readFileSync(dataset, 'utf8')) as { text_output: string }[];
    const moved = permuteLabels(records, Random.fromSeed(`labels ${permuted}`));
    writeFileAtomic(changed, `${JSON.stringify(moved, null, 1)}\n`);
  }
  return ['--data', changed];
}

async function train({ name, train: flags, reference, start, dataset }: Job): Promise<void> {
  if (flags === null) return;
  const begun = runOf(out, name);
  if (begun && existsSync(join(begun, 'DONE'))) return;
  const folder = makeFolder(join(out, 'runs', name));
  const ref = reference === undefined ? [] : ['--ref', runNamed(reference)];
  const init = start === undefined ? [] : ['--init', runNamed(start)];
  const data = dataset === undefined ? [] : await collect(name, dataset);
  const command = begun
    ? ['train', '--resume', begun]
    : ['train', ...flags, ...ref, ...init, ...data, '--out', folder];
  await run(command, join(folder, 'output.log'));
}

/** The shipped model with a constant vector; returns its folder. */
async function changedModel(name: string, vector: NonNullable<Job['vector']>): Promise<string> {
  const folder = join(makeFolder(join(out, 'models')), name);
  const [projection, log] = [`${folder}.safetensors`, `${folder}.log`];
  if (existsSync(folder)) return folder;
  const trained = vector.trainedBy === undefined ? [] : [projection];
  if (vector.trainedBy !== undefined && !existsSync(projection))
    await run(['ckpt', 'export', runNamed(vector.trainedBy), '--out', projection], log);
  await runProgram(constantVector, [vector.name, folder, ...trained], log);
  return folder;
}

/** What a job evaluates, as `--ckpt` takes it. */
function policyOf({ name, train: flags, vector }: Job): Promise<string> | string {
  if (vector) return changedModel(name, vector);
  return flags === null ? 'emma-tiny' : runNamed(name);
}

async function evaluate(job: Job): Promise<void> {
  const { name, evaluations, framesOf = {} } = job;
  const log = join(makeFolder(join(out, 'evaluations', name)), 'output.log');
  for (const [suite, settings] of Object.entries(evaluations)) {
    const result = evaluationFile(out, name, suite);
    if (existsSync(result)) continue;
    await run(['eval', '--ckpt', await policyOf(job), ...settings, '--out', result], log);
  }
  for (const [suite, games] of Object.entries(framesOf))
    for (const shown of ['blank', 'other']) {
      const result = evaluationFile(out, name, `${suite} ${shown}`);
      if (!existsSync(result))
        await runProgram(otherFrames, [runNamed(name), games, shown, '--out', result], log);
    }
}

/** Plays a suite by script. */
function bound(name: string, player: Player, { name: suite, source, games: count }: Suite): void {
  makeFolder(join(out, 'evaluations', name));
  const result = evaluationFile(out, name, suite);
  if (values.list || existsSync(result)) return;
  const list = listGames(source);
  const drawn = drawGames(list, count ?? list.games.length, null);
  const games = drawn.map((game) => playScripted(player, game.load(), 50));
  writeFileAtomic(result, `${JSON.stringify({ games }, null, 2)}\n`);
}

/** Runs several jobs at once, in order; each waits for the jobs it builds on. */
async function workOff(jobs: readonly Job[], atOnce: number): Promise<void> {
  const done = new Map<string, Promise<void>>();
  const doJob = async (job: Job) => {
    await Promise.all(
      [job.reference, job.start, job.dataset?.playedBy, job.vector?.trainedBy].map(
        (name) => name && done.get(name),
      ),
    );
    await train(job);
    await evaluate(job);
  };
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const doing = doJob(job);
      done.set(job.name, doing);
      await doing;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

const real = values.games ?? null;
const sources = { real, hasUnseen: real !== null && existsSync(join(real, 'valid_unseen')) };
for (const [name, player] of Object.entries(players))
  for (const suite of suitesOf(sources)) bound(name, player, suite);
const chosen = jobsOf(sources).filter(
  ({ name }) => values.only === undefined || name.startsWith(values.only),
);
await workOff(chosen, values.list ? 1 : Number(values.jobs));
if (!values.list) writeDocument(values.document, out);
