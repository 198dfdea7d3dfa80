/** `emac sweep`: many training runs from one file; stopped and resumed by the same command, shown in one table and one report. */
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  runOfCell,
  stoppedSettings,
  sweepResults,
  updateAt,
  updatesMade,
  type OverSeeds,
  type StoppedSettings,
  type SweepCell,
  type SweepRow,
} from '@emac/experiment';
import { canonicalJson, createFolder, isThere, whileReading, writeFileAtomic } from '@emac/files';
import { percent } from '@emac/pages/data';
import { readRun, tablesPage } from '@emac/report';
import { isDone, lockRun, standingOf } from '@emac/runs';
import { integer, text, toggle, type Values } from '../../options/option.ts';
import { checkWorkers, queueFlags, queueOptions } from '../../options/queue-options.ts';
import { cellProcess, severalAtOnce } from '../../sweep/cell-process.ts';
import { codeFlags, readSweep, type Sweep } from '../../sweep/read-sweep.ts';
import { say, type Io } from '../../terminal/io.ts';
import { stopAtUpdate } from '../../run-notes/run-host.ts';
import { table } from '../../terminal/table.ts';
import { command } from '../../calling/command.ts';

const options = {
  out: text({
    help: 'folder of the sweep: its runs in cells/, report.html, results.json',
    default: null,
    defaultText: 'sweeps/ and the file’s name',
  }),
  parallel: integer([1, 256], { help: 'runs at once, each a process', default: 1 }),
  env: text({ help: 'environment of your own for all runs: a file or package', default: null }),
  expert: text({ help: 'expert of your own for all runs: a file', default: null }),
  reward: text({ help: 'reward of your own for all runs: a file', default: null }),
  ...queueOptions,
  json: toggle('print the results as JSON on standard output'),
};

export const sweepCommand = command({
  options,
  run: (values, [file], io) => swept(file!, values, io),
});

async function swept(file: string, values: Values<typeof options>, io: Io): Promise<number> {
  const { env, expert, reward } = values;
  const sweep = await readSweep(file, { env, expert, reward }, io);
  await checkWorkers(values, io);
  const out = values.out ?? join('sweeps', basename(file, extname(file)));
  claim(out, { file: sweep.file, env, expert, ...(reward !== null && { reward }) });
  const lock = lockRun(out, 'sweep');
  try {
    return await carriedOn(sweep, { out, values, io });
  } finally {
    lock.release();
  }
}

interface Carried {
  readonly out: string;
  readonly values: Values<typeof options>;
  readonly io: Io;
}

/** Errors: `interrupted`; `check-failed` if runs failed. */
async function carriedOn(sweep: Sweep, { out, values, io }: Carried): Promise<number> {
  const { json, parallel } = values;
  const folderOf = cellFolders(out, sweep);
  const signal = io.catchInterruption('the runs under way');
  const failed: string[] = [];
  const done = sweep.cells.filter((cell) => isFinished(folderOf(cell)));
  if (done.length > 0) say(io.stderr, `${done.length} of ${sweep.cells.length} runs are finished`);
  const { 'stop-worst': stopWorst } = sweep.file;
  const stopsAt = stopWorst?.after ?? [];
  let stopped: ReadonlyMap<number, StoppedSettings> = new Map();
  // up to each stop, and then to the end
  for (const [stop, share] of [...stopsAt, null].entries()) {
    const until = (cell: SweepCell) => (share === null ? null : updateAt(share, sweep.updatesOf(cell)));
    const isThereYet = (cell: SweepCell) =>
      isFinished(folderOf(cell)) || hasMade(folderOf(cell), until(cell));
    const open = sweep.cells.filter((cell) => !stopped.has(cell.number) && !isThereYet(cell));
    await severalAtOnce(open, { parallel, signal }, async (cell) => {
      const folder = folderOf(cell);
      const flags = [...codeFlags(values), ...queueFlags(values)];
      const carrying = { sweep, folder, flags, io, signal, until: until(cell) };
      const status = await carriedOut(cell, carrying);
      const name = `${labelOf(cell.settings)} seed ${cell.seed}`;
      if (isFinished(folder)) say(io.stderr, `finished: ${name}`);
      else if (!signal.aborted && !isThereYet(cell))
        failed.push(`${name} ${status === null ? 'was killed' : lastLine(folder)}`);
    });
    if (signal.aborted || failed.length > 0) break;
    if (!stopWorst || share === null) continue;
    const comparing = { stopWorst, updatesOf: sweep.updatesOf, folderOf };
    const now = stoppedSettings(sweep.cells, stop + 1, comparing);
    for (const [number] of now) if (!stopped.has(number)) say(io.stderr, stopLine(sweep, number, now));
    stopped = now;
  }
  const rows = sweepResults(sweep.cells, folderOf, stopped);
  const report = reportOf(rows, { out, io });
  writeFileAtomic(join(out, 'results.json'), `${canonicalJson({ rows }, 2)}\n`);
  if (json) say(io.stdout, JSON.stringify({ folder: out, rows, report }));
  else say(io.stdout, `${table(columns, rows.map(cellsOf))}\nreport: ${report}`);
  const resumed = 'the same command resumes';
  if (signal.aborted) throw new EmacError('interrupted', `stopped on request; ${resumed}`);
  if (failed.length > 0)
    throw new EmacError(
      'check-failed',
      `${failed.length} of ${sweep.cells.length} runs failed; ${failed[0]}; ${resumed} them`,
    );
  return 0;
}

/** The folder belongs to one sweep. Errors: `config` for that of another; `cannot-create`. */
function claim(out: string, asked: object): void {
  const path = join(out, 'sweep.json');
  const now = `${canonicalJson(asked, 2)}\n`;
  if (!isThere(path)) {
    createFolder(out);
    writeFileAtomic(path, now);
  } else if (whileReading(path, () => readFileSync(path, 'utf8')) !== now)
    throw new EmacError(
      'config',
      `--out ${out}: its sweep.json is of another sweep, of this file before a change, or damaged; give another folder`,
    );
}

/** `cells/002-s1`: the number of the settings, then the seed. */
function cellFolders(out: string, { cells }: Sweep): (cell: SweepCell) => string {
  const digits = Math.max(3, String(cells.at(-1)!.number).length);
  return ({ number, seed }) => join(out, 'cells', `${String(number).padStart(digits, '0')}-s${seed}`);
}

function isFinished(folder: string): boolean {
  const run = runOfCell(folder);
  return run !== null && isDone(run);
}

/** All of its updates up to that one; false for null. */
function hasMade(folder: string, update: number | null): boolean {
  return update !== null && updatesMade(folder) >= update;
}

function stopLine({ cells }: Sweep, number: number, stopped: ReadonlyMap<number, StoppedSettings>): string {
  const { settings } = cells.find((cell) => cell.number === number)!;
  return `${stopWords(stopped.get(number)!)}: ${labelOf(settings)}`;
}

function stopWords({ share, measure }: StoppedSettings): string {
  const value = measure === null ? 'nothing measured' : `at ${measure.toFixed(3)}`;
  return `stopped after ${Number((100 * share).toPrecision(6))} %, ${value}`;
}

interface Carrying {
  readonly sweep: Sweep;
  readonly folder: string;
  /** of the sweep's code, and of its workers: neither stands in a run's settings */
  readonly flags: readonly string[];
  readonly io: Io;
  readonly signal: AbortSignal;
  /** the update after which it stops with a checkpoint; null for its end */
  readonly until: number | null;
}

/** Trains, or resumes. A run that a killed sweep has left behind may still be at work: it is awaited. */
async function carriedOut(cell: SweepCell, { sweep, folder, flags, io, signal, until }: Carrying) {
  createFolder(folder);
  while (!signal.aborted && isUnderWay(folder, io)) await new Promise((done) => setTimeout(done, 500));
  if (signal.aborted || isFinished(folder) || hasMade(folder, until)) return 0;
  const run = runOfCell(folder);
  const words =
    run === null ? [...sweep.words(cell), ...flags, '--out', folder] : ['train', '--resume', run, ...flags];
  const env = { ...io.env, [stopAtUpdate]: until === null ? undefined : String(until) };
  return cellProcess(words, { output: outputOf(folder), env, signal });
}

function isUnderWay(folder: string, { now }: Io): boolean {
  const run = runOfCell(folder);
  return run !== null && standingOf(run, new Date(now())).status === 'running';
}

function outputOf(folder: string): string {
  return join(folder, 'output.log');
}

/** The fault that a run printed. */
function lastLine(folder: string): string {
  const path = outputOf(folder);
  const lines = whileReading(path, () => readFileSync(path, 'utf8'))
    .trim()
    .split('\n');
  return `says: ${lines.findLast((line) => line.startsWith('emac: ')) ?? lines.at(-1)!}`;
}

const columns = ['settings', 'seeds', 'success', 'mean return'];

function cellsOf({ settings, seeds, success, mean_return: reached, stopped }: SweepRow): string[] {
  const done = seeds.filter((each) => each.done);
  const unfinished = done.length < seeds.length ? ` (${done.length} of ${seeds.length} done)` : '';
  const of = stopped ? ` (${stopWords(stopped)})` : unfinished;
  return [
    labelOf(settings),
    `${seeds.map(({ seed }) => seed).join(' ')}${of}`,
    overSeeds(success, percent),
    overSeeds(reached, (value) => value.toFixed(3)),
  ];
}

function overSeeds(found: OverSeeds | null, said: (value: number) => string): string {
  if (found === null) return '';
  const { mean, interval } = found;
  return interval === null ? said(mean) : `${said(mean)} (${interval.map(said).join(' to ')})`;
}

/** `learningRate 0.01 batchSize 4`, with whole names where last parts are equal. */
function labelOf(settings: SweepCell['settings']): string {
  const names = Object.keys(settings);
  const last = (name: string) => name.slice(name.lastIndexOf('.') + 1);
  const short = (name: string) =>
    names.filter((each) => last(each) === last(name)).length > 1 ? name : last(name);
  const said = names.map((name) => {
    const value = settings[name];
    return `${short(name)} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return said.join(' ') || 'as given';
}

/** Errors: `cannot-create`; those of reading a run. */
function reportOf(rows: readonly SweepRow[], { out, io }: { readonly out: string; readonly io: Io }): string {
  const path = join(out, 'report.html');
  const now = new Date(io.now());
  const curves = rows.flatMap(({ settings, seeds }, colour) =>
    seeds.flatMap(({ run }) =>
      run === null
        ? []
        : [{ label: labelOf(settings), colour: colour % 10, series: readRun(run, now).series }],
    ),
  );
  const tables = [{ name: 'Settings and results', head: columns, rows: rows.map(cellsOf) }];
  const notes = ['Intervals are 95 %, over seeds. Bands reach from the lowest to the highest seed.'];
  const title = `sweep ${basename(out)}`;
  writeFileAtomic(path, tablesPage({ title, tables, notes, pictures: [], curves }));
  return path;
}
