/** Reads the file of a sweep and checks every run of it before one begins. */
import { readFileSync } from 'node:fs';
import { sweepCells, sweepFile, type SweepCell, type SweepFile } from '@emac/experiment';
import { EmacError } from '@emac/core';
import { isFile, isThere, whileReading } from '@emac/files';
import { parseDocument } from 'yaml';
import { isModulePath } from '@emac/opening';
import { isEnvironmentModule } from '@emac/settings';
import { parseCommandLine } from '../commands/command-line.ts';
import type { NamedCommand } from '../commands/command.ts';
import { settingWords } from '../commands/setting-words.ts';
import type { Io } from '../terminal/io.ts';
import { version } from '../version.ts';

/** Code of the sweep, from its own flags. */
export interface SweepCode {
  readonly env: string | null;
  readonly expert: string | null;
}

export interface Sweep {
  readonly file: SweepFile;
  readonly cells: readonly SweepCell[];
  /** words of `emac train` for a cell, without its folder */
  words(cell: SweepCell): readonly string[];
}

/** Errors: `missing`; `config`, `usage` in one sentence for a file or a setting that is wrong. */
export async function readSweep(path: string, code: SweepCode, io: Io): Promise<Sweep> {
  const file = sweepFile(contentOf(path), path);
  const shared = commandWords(file, path);
  const cells = sweepCells(file);
  const words = ({ settings, seed }: SweepCell): string[] => [
    ...shared,
    ...codeFlags(code),
    '--seed',
    String(seed),
    ...Object.entries(settings).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ];
  const tried = new Set<number>();
  for (const cell of cells) {
    if (tried.has(cell.number)) continue;
    tried.add(cell.number);
    await tryOut(words(cell), path, io);
  }
  return { file, cells, words };
}

/** The flags that name a sweep's code. */
export function codeFlags({ env, expert }: SweepCode): string[] {
  return [...(env === null ? [] : ['--env', env]), ...(expert === null ? [] : ['--expert', expert])];
}

function contentOf(path: string): unknown {
  if (!isThere(path)) throw new EmacError('missing', `${path}: does not exist`);
  if (!isFile(path)) throw new EmacError('config', `${path}: is not a file; give a YAML file`);
  const document = parseDocument(whileReading(path, () => readFileSync(path, 'utf8')));
  const [fault] = document.errors;
  if (fault) throw new EmacError('config', `${path}: ${fault.message.split('\n')[0]!.replace(/:$/, '')}`);
  return document.toJS() as unknown;
}

/** Flags that a sweep decides. */
const decided = ['resume', 'out', 'seed', 'dry-run', 'json', 'quiet', 'allow-drift'];

/** Errors: `config` for another command than train, for a flag that the sweep decides, and for code. */
function commandWords({ command }: SweepFile, path: string): string[] {
  const words = typeof command === 'string' ? command.trim().split(/\s+/) : command;
  const [first, ...rest] = words[0] === 'emac' ? words.slice(1) : words;
  const wrong = (rule: string) => new EmacError('config', `${path}: command: ${rule}`);
  if (first !== 'train') throw wrong(`must begin with train --method, got ${JSON.stringify(first ?? '')}`);
  const flags = rest.map((word) => /^--([^=]+)/.exec(word)?.[1]);
  const own = flags.find((flag) => flag !== undefined && decided.includes(flag));
  if (own !== undefined) throw wrong(`--${own} is decided by the sweep; leave it out`);
  for (const [flag, isCode] of [
    ['env', isEnvironmentModule],
    ['expert', isModulePath],
  ] as const) {
    const named = valueOf(rest, flag);
    if (named !== null && isCode(named))
      throw wrong(
        `--${flag} ${named} is code, which runs only if the command line names it; leave it out here, and give emac sweep --${flag} ${named}`,
      );
  }
  return ['train', ...rest];
}

function valueOf(words: readonly string[], flag: string): string | null {
  const place = words.findIndex((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  if (place < 0) return null;
  const word = words[place]!;
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : (words[place + 1] ?? null);
}

const shown: NamedCommand = {
  name: 'config show',
  summary: 'settings of a run',
  argument: settingWords,
  load: async (argv) => (await import('../commands/config-show.ts')).configShow(argv),
};

/** The settings are those that `emac config show` would show. Errors: `usage`, `config`, beginning with the file. */
async function tryOut([, ...words]: readonly string[], path: string, io: Io): Promise<void> {
  const argv = ['config', 'show', ...words];
  const silent = { ...io.stdout, write: () => {} };
  try {
    const parsed = await parseCommandLine(argv, { commands: [shown], version, width: 100 });
    if (parsed.kind === 'command')
      await parsed.command.run(parsed.values, parsed.words, { ...io, stdout: silent, argv });
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    const said = thrown.message.replaceAll('emac config show', 'emac train');
    throw new EmacError(thrown.code, `${path}: ${said}`, { cause: thrown });
  }
}
