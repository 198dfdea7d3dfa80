/** Training runs as processes of their own, several at once. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { whileWriting } from '@emac/files';

const programOf = (name: string) => fileURLToPath(new URL(`../../bin/${name}.mjs`, import.meta.url));

export interface ProcessOptions {
  /** file that gets all it prints */
  readonly output: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Starts `emac <argv>`. It is a process group of its own, so that Ctrl-C reaches it once, from here, and not from the
 * terminal too. Errors: `cannot-create`, `io`.
 */
export function startProcess(
  argv: readonly string[],
  { output, env }: Omit<ProcessOptions, 'signal'>,
): ChildProcess {
  return begun('emac', argv, { output, env });
}

export interface HeldProcess {
  readonly child: ChildProcess;
  /** Lets it begin. Without this it ends with this process, and has done nothing. */
  begin(): void;
}

/** As `startProcess`, but it waits to be let begin. */
export function heldProcess(argv: readonly string[], options: Omit<StartOptions, 'isHeld'>): HeldProcess {
  const child = begun('held', argv, { ...options, isHeld: true });
  // one that cannot be started says so by itself
  child.stdin!.on('error', () => undefined);
  return { child, begin: () => void child.stdin!.end('begin') };
}

interface StartOptions extends Omit<ProcessOptions, 'signal'> {
  /** working directory; default: this process's */
  readonly cwd?: string;
  readonly isHeld?: boolean;
}

function begun(program: string, argv: readonly string[], options: StartOptions): ChildProcess {
  const { output, env, cwd, isHeld = false } = options;
  const file = whileWriting(output, () => openSync(output, 'a'));
  try {
    return spawn(process.execPath, [programOf(program), ...argv], {
      env,
      stdio: [isHeld ? 'pipe' : 'ignore', file, file],
      detached: true,
      ...(cwd !== undefined && { cwd }),
    });
  } finally {
    closeSync(file);
  }
}

/** The exit status of `emac <argv>`; null after a signal. Errors: those of `startProcess`. */
export function cellProcess(
  argv: readonly string[],
  { signal, ...options }: ProcessOptions,
): Promise<number | null> {
  const child = startProcess(argv, options);
  const stop = () => void child.kill('SIGINT');
  signal.addEventListener('abort', stop);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      signal.removeEventListener('abort', stop);
      resolve(status);
    });
  });
}

/** Does the work for each, at most so many at once and in their order; begins no more once the signal has fired. */
export async function severalAtOnce<T>(
  all: readonly T[],
  { parallel, signal }: { readonly parallel: number; readonly signal: AbortSignal },
  work: (one: T) => Promise<void>,
): Promise<void> {
  const waiting = all.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const one of waiting) {
        if (signal.aborted) return;
        await work(one);
      }
    }),
  );
}
