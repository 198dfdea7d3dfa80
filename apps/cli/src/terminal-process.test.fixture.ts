/** A command on a terminal of its own (util-linux `script`), typed at as a person would. */
import { spawn, spawnSync } from 'node:child_process';
import { program, type Ended } from './emac-process.test.fixture.ts';

/** True where a terminal can be had. */
export const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

/** True where a program is installed. */
export function isInstalled(name: string): boolean {
  return spawnSync(name, ['--version']).status === 0;
}

export interface Typing {
  /** what to wait for in everything written so far, and what is typed then, in this order */
  readonly typed: readonly (readonly [seen: RegExp, keys: string])[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** characters in a line */
  readonly columns?: number;
}

/** Runs a command, in the words of a shell, on a terminal until it ends; killed after five minutes. What was typed before is not looked at again. */
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
