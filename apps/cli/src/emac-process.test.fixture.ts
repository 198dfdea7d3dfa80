/** The compiled command as a process, with its output so far. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../bin/emac.mjs', import.meta.url));
export const isBuilt = existsSync(new URL('../dist/main.js', import.meta.url));

export interface Ended {
  /** null after a signal */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  /** called with the whole output so far, at every new piece */
  readonly watch?: (child: ChildProcess, written: string) => void;
  readonly cwd?: string;
  /** beside PATH */
  readonly env?: Readonly<Record<string, string>>;
  /** run as another user, because root ignores permissions; needs root */
  readonly user?: number | undefined;
}

/** Runs `emac <argv>` until it has ended; killed after five minutes. */
export function emacProcess(
  argv: readonly string[],
  { watch, cwd, env, user }: Started = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...argv], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 300_000,
    killSignal: 'SIGKILL',
    cwd,
    uid: user,
    gid: user,
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString();
      watch?.(child, written.stdout + written.stderr);
    });
  child.stdin.end();
  return new Promise((resolve) =>
    child.on('close', (status, signal) =>
      resolve({ status, signal, stdout: written.stdout, stderr: written.stderr }),
    ),
  );
}

/** Calls `act` once, after `text` was written. */
export function once(text: string | RegExp, act: (child: ChildProcess) => void): Started {
  let isOver = false;
  return {
    watch: (child, written) => {
      if (isOver || written.search(text) === -1) return;
      isOver = true;
      act(child);
    },
  };
}
