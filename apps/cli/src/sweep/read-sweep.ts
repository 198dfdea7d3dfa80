/** Reads the file of a sweep and checks every run of it before one begins. */
import {
  requireApart,
  sweepCells,
  sweepFile,
  updatesOfRun,
  type SweepCell,
  type SweepFile,
} from '@emac/experiment';
import { EmacError, messageOf } from '@emac/core';
import { isFile, isThere, readText } from '@emac/files';
import { parseDocument } from 'yaml';
import { isModulePath } from '@emac/opening';
import { nameToday } from '@emac/runs';
import { isEnvironmentModule, isSaid } from '@emac/settings';
import { parseCommandLine, type Parsed } from '../commands/command-line.ts';
import { type NamedCommand, settingWords } from '../calling/command.ts';
import { isSetting } from '../options/configured.ts';
import type { Io } from '../terminal/io.ts';
import { version } from '../version.ts';

/** Code of the sweep, from its own flags. */
export interface SweepCode {
  readonly env: string | null;
  readonly expert: string | null;
  readonly reward: string | null;
}

export interface Sweep {
  readonly file: SweepFile;
  readonly cells: readonly SweepCell[];
  /** words of `emac train` for a cell, without its folder and the flags of its code */
  words(cell: SweepCell): readonly string[];
  /** updates of a cell's run, for a sweep that stops some */
  updatesOf(cell: SweepCell): number;
}

/** Errors: `missing`; `config`, `usage` in one sentence for a file or a setting that is wrong. */
export async function readSweep(path: string, code: SweepCode, io: Io): Promise<Sweep> {
  const file = sweepFile(contentOf(path), path);
  const shared = commandWords(file, path);
  const cells = sweepCells(file);
  const words = ({ settings, seed }: SweepCell): string[] => [
    ...shared,
    '--seed',
    String(seed),
    ...Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ];
  const updates = new Map<number, number>();
  for (const cell of cells) {
    if (updates.has(cell.number)) continue;
    refuseCode(cell, path);
    const config = await tryOut(cell, [...words(cell), ...codeFlags(code)], { path, io });
    const { 'stop-worst': stopWorst } = file;
    updates.set(cell.number, stopWorst ? beginningWith(path, () => updatesApart(stopWorst, config)) : 0);
  }
  return { file, cells, words, updatesOf: ({ number }) => updates.get(number)! };
}

/** The flags that name a sweep's code. */
export function codeFlags(code: SweepCode): string[] {
  return codes.flatMap((flag) => (code[flag] === null ? [] : [`--${flag}`, code[flag]]));
}

function contentOf(path: string): unknown {
  if (!isThere(path)) throw new EmacError('missing', `${path}: does not exist`);
  if (!isFile(path)) throw new EmacError('config', `${path}: is not a file; give a YAML file`);
  const document = parseDocument(readText(path));
  const [fault] = document.errors;
  if (fault) throw new EmacError('config', `${path}: ${fault.message.split('\n')[0]!.replace(/:$/, '')}`);
  try {
    return document.toJS() as unknown;
  } catch (thrown) {
    // an alias without its anchor, or too many of them
    throw new EmacError('config', `${path}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Flags that a sweep decides. */
const decided = ['resume', 'out', 'seed', 'dry-run', 'json', 'quiet', 'allow-drift'];

/** Flags of the sweep itself: where workers are is no setting of a run. */
const ofTheSweep = ['queue', 'shared'];

/** Errors: `config` for another command than train, for what the sweep decides, for a request for help, and for code. */
function commandWords({ command }: SweepFile, path: string): string[] {
  const words = typeof command === 'string' ? command.trim().split(/\s+/) : command;
  const [first, ...rest] = words[0] === 'emac' ? words.slice(1) : words;
  const wrong = (rule: string) => new EmacError('config', `${path}: command: ${rule}`);
  if (first !== 'train') throw wrong(`must begin with train --method, got ${JSON.stringify(first ?? '')}`);
  const own = rest.find((word) => /^(seed|out)=/.test(word) || decided.some((flag) => isFlag(word, flag)));
  if (own !== undefined) throw wrong(`${own.split('=')[0]} is decided by the sweep; leave it out`);
  const workers = rest.find((word) => ofTheSweep.some((flag) => isFlag(word, flag)));
  if (workers !== undefined)
    throw wrong(`${workers.split('=')[0]} is a flag of emac sweep, for all runs; give it there`);
  const help = rest.find((word) => word === '--help' || word === '--version');
  if (help !== undefined) throw wrong(`${help} trains nothing; leave it out`);
  for (const [place, word] of rest.entries())
    for (const flag of codes) {
      const value = isFlag(word, flag) && !word.includes('=') ? rest[place + 1] : valueIn(word, flag);
      if (value !== undefined) refuseNamedCode(flag, value, `${path}: command: --${flag} ${value}`);
    }
  return ['train', ...rest];
}

function isFlag(word: string, flag: string): boolean {
  return word === `--${flag}` || word.startsWith(`--${flag}=`);
}

/** The value in `--env=VALUE` or `env=VALUE`, a setting. */
function valueIn(word: string, flag: (typeof codes)[number]): string | undefined {
  const starts = [`--${flag}=`, `${settingsOfCode[flag]}=`];
  return starts.find((start) => word.startsWith(start)) && word.slice(word.indexOf('=') + 1);
}

/** Flags that may name code. */
const codes = ['env', 'expert', 'reward'] as const;
/** Their settings. */
const settingsOfCode = { env: 'env', expert: 'expert.module', reward: 'rewards.attempt' } as const;

/** Errors: `config`; `named` says where. */
function refuseNamedCode(flag: (typeof codes)[number], value: string, named: string): void {
  if ((flag === 'env' ? isEnvironmentModule : isModulePath)(value))
    throw new EmacError(
      'config',
      `${named} is code, which runs only if the command line names it; leave it out here, and give emac sweep --${flag} ${value}`,
    );
}

function refuseCode({ settings }: SweepCell, path: string): void {
  for (const flag of codes) {
    const name = settingsOfCode[flag];
    const value = settings[name];
    if (typeof value === 'string') refuseNamedCode(flag, value, `${path}: ${name} ${value}`);
  }
}

const shown: NamedCommand = {
  name: 'config show',
  summary: 'settings of a run',
  argument: settingWords,
  load: async (argv) => (await import('../commands/config-show.ts')).configShow(argv),
};

interface Trying {
  readonly path: string;
  readonly io: Io;
}

/** Updates of a run. Errors: those of `updatesOfRun` and `requireApart`. */
function updatesApart(stopWorst: NonNullable<SweepFile['stop-worst']>, config: unknown): number {
  const updates = updatesOfRun(config);
  requireApart(stopWorst, updates);
  return updates;
}

/** Errors: those of the work, beginning with the file. */
function beginningWith<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    throw new EmacError(thrown.code, `${path}: ${thrown.message}`, { cause: thrown });
  }
}

/** The settings that `emac config show` shows. Errors: `usage`, `config`, beginning with the file. */
async function tryOut(
  { settings }: SweepCell,
  [, ...words]: readonly string[],
  { path, io }: Trying,
): Promise<unknown> {
  // of runs, not of their settings
  const argv = ['config', 'show', ...words.filter((word) => word !== '--tracker')];
  let written = '';
  const kept = { ...io.stdout, write: (text: string) => void (written += text) };
  try {
    const parsed = await parseCommandLine(argv, { commands: [shown], version, width: 100 });
    if (parsed.kind !== 'command') return null;
    refuseDecided(Object.keys(settings), parsed);
    await parsed.command.run(parsed.values, parsed.words, { ...io, stdout: kept, argv });
    return parseDocument(written).toJS() as unknown;
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    const said = thrown.message.replaceAll('emac config show', 'emac train');
    throw new EmacError(thrown.code, `${path}: ${said}`, { cause: thrown });
  }
}

/** Errors: `config` for a setting with a flag too: flags win, and every value would give the same run. */
function refuseDecided(
  names: readonly string[],
  { command: { options }, values }: Extract<Parsed, { readonly kind: 'command' }>,
): void {
  for (const [flag, option] of Object.entries(options)) {
    if (!isSetting(option) || values[flag] === undefined) continue;
    const name = names.find((each) => isSaid(option, nameToday(each)));
    if (name !== undefined)
      throw new EmacError('config', `${name}: --${flag} decides it for all runs; leave one out`);
  }
}
