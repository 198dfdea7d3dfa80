/** A command on its own terminal (util-linux `script`), with typed keys. */
import { spawn, spawnSync } from 'node:child_process';
import { program, type Ended } from './emac-process.test.fixture.ts';

/** True if a terminal is available. */
export const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** True if a program is installed. */
export function isInstalled(name: string): boolean {
  return spawnSync(name, ['--version']).status === 0;
}

export interface Typing {
  /** pairs in order: text to wait for in the output so far, and the keys to type then */
  readonly typed: readonly (readonly [seen: RegExp, keys: string])[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** characters in a line */
  readonly columns?: number;
}

/** Runs a shell command on a terminal until it ends; killed after five minutes. Each wait starts after the last typed keys. */
export function onTerminal(command: string, { typed, env = {}, cwd, columns = 100 }: Typing): Promise<Ended> {
  const child = spawn('script', ['-qefc', `stty cols ${columns}; exec ${command}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...env },
    cwd,
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  let [written, looked, place] = ['', 0, 0];
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk.toString();
    const next = typed[place];
    if (!next || written.slice(looked).search(next[0]) === -1) return;
    place++;
    looked = written.length;
    child.stdin.write(next[1]);
  });
  return new Promise((resolve) =>
    child.on('close', (status, signal) => resolve({ status, signal, stdout: written, stderr: '' })),
  );
}

/** The compiled command, for a shell. */
export function emacCommand(argv: readonly string[]): string {
  return [process.execPath, program, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}
