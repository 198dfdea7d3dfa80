/** Runs `runCommand` in this process and keeps its output. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import type { Io, Writer } from './terminal/io.ts';
import { runCommand } from './run-command.ts';

export interface Captured {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CapturedOptions {
  /** chunks stay as given */
  readonly stdin?: string | readonly string[];
  /** the three streams are a terminal with a person */
  readonly isPerson?: boolean;
  /** characters in a line; 100 without it */
  readonly columns?: number;
  readonly env?: Io['env'];
  /** milliseconds since 1970; by default since the process started */
  readonly now?: () => number;
  /** fired from outside to interrupt */
  readonly interruption?: AbortController;
  /** receive each piece of output */
  readonly onStdout?: (text: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** Runs `emac <argv>` in this process. */
export async function emac(argv: readonly string[], options: CapturedOptions = {}): Promise<Captured> {
  const [stdout, stderr] = [[] as string[], [] as string[]];
  const writer = (written: string[], listener?: (text: string) => void): Writer => ({
    write: (text) => {
      written.push(text);
      listener?.(text);
    },
    isTerminal: options.isPerson === true,
    columns: options.columns ?? 100,
    isClosed: false,
  });
  // an evaluation would make a folder in the working directory
  const isEvaluation = argv[0] === 'eval' && !argv.some((word) => word.startsWith('--out'));
  const words = isEvaluation ? [...argv, '--out', 'none'] : argv;
  const status = await runCommand(words, {
    stdout: writer(stdout, options.onStdout),
    stderr: writer(stderr, options.onStderr),
    stdin: Object.assign(Readable.from([options.stdin ?? ''].flat().map((piece) => Buffer.from(piece))), {
      isTTY: options.isPerson === true,
    }),
    env: options.env ?? {},
    now: options.now ?? (() => performance.now()),
    catchInterruption: () => (options.interruption ?? new AbortController()).signal,
  });
  return { status, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** A temporary folder, deleted after the tests of a file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emac-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
