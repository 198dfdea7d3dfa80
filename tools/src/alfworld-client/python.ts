/** Runs the Python client as a process: `EMAC_PYTHON` names the interpreter, default `python3`. */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const clientFolder = fileURLToPath(new URL('../../alfworld-client', import.meta.url));

const python = process.env['EMAC_PYTHON'] || 'python3';

/** True for Python 3.9 or newer that can import all of these. */
export function pythonHas(...modules: readonly string[]): boolean {
  const code = `import sys; assert sys.version_info >= (3, 9)\n${modules.map((each) => `import ${each}`).join('\n')}`;
  return spawnSync(python, ['-c', code], { stdio: 'ignore' }).status === 0;
}

export interface Ran {
  /** null after a signal */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ran>;
  kill(signal: NodeJS.Signals): void;
}

export interface Surroundings {
  /** in addition to those of this process */
  readonly env?: Readonly<Record<string, string>>;
  /** called with all standard error output so far, at each write */
  readonly onStderr?: (written: string) => void;
}

/** Starts a program of the client's folder. */
export function startPython(argv: readonly string[], surroundings: Surroundings = {}): Running {
  return started(python, argv, surroundings);
}

/** Starts the compiled `emac`. */
export function startEmac(argv: readonly string[], surroundings: Surroundings = {}): Running {
  const program = fileURLToPath(new URL('../../../apps/cli/bin/emac.mjs', import.meta.url));
  return started(process.execPath, [program, ...argv], surroundings);
}

function started(program: string, argv: readonly string[], { env, onStderr }: Surroundings): Running {
  const child = spawn(program, argv, {
    cwd: clientFolder,
    // compiled files would be left behind in the repository
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
    onStderr?.(written.stderr);
  });
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, ...written }));
  });
  return { ended, kill: (signal) => child.kill(signal) };
}
