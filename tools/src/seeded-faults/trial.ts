/** The tests of one project in a copy, until one fails. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The result of a test run. */
export type Shown =
  | { readonly kind: 'passed' }
  /** `file` from the project, null if no test can be named: the tests did not end, or could not start */
  | { readonly kind: 'failed'; readonly test: string; readonly file: string | null };

interface Report {
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export interface Trial {
  /** the copy */
  readonly folder: string;
  /** such as packages/losses */
  readonly project: string;
  /** of these files alone */
  readonly files?: readonly string[];
  /** how long they may take; an endless loop is a failure */
  readonly seconds: number;
}

/** Runs tests until one fails. */
export async function tested({ folder, project, files = [], seconds }: Trial): Promise<Shown> {
  const out = join(folder, `report-${project.replace('/', '-')}.json`);
  rmSync(out, { force: true });
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(folder, 'vitest.config.ts');
  const words = [
    'run',
    '--config',
    config,
    '--bail',
    '1',
    '--reporter',
    'json',
    '--outputFile',
    out,
    ...files,
  ];
  const { status, isOver } = await ended(vitest, words, { cwd: join(folder, project), seconds });
  if (isOver) return { kind: 'failed', test: `did not end in ${seconds} s`, file: null };
  if (!existsSync(out))
    return { kind: 'failed', test: `vitest ended with ${status} and no report`, file: null };
  return shown(JSON.parse(readFileSync(out, 'utf8')) as Report, join(folder, project), status);
}

function shown({ testResults }: Report, project: string, status: number | null): Shown {
  for (const { name, status: state, message, assertionResults } of testResults) {
    const file = relative(project, name);
    const failed = assertionResults.find((each) => each.status === 'failed');
    if (failed) return { kind: 'failed', test: `${file}: ${failed.fullName}`, file };
    if (state === 'failed') return { kind: 'failed', test: `${file}: ${message.split('\n')[0]}`, file };
  }
  if (status === 0) return { kind: 'passed' };
  return { kind: 'failed', test: `vitest ended with ${status}, and no test failed`, file: null };
}

interface Ended {
  readonly status: number | null;
  readonly isOver: boolean;
}

/** Ends the whole process group, since tests start processes. */
function ended(program: string, words: string[], of: { cwd: string; seconds: number }): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...words], {
      cwd: of.cwd,
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, CI: 'true' },
    });
    let isOver = false;
    const end = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // the process has ended
      }
    };
    const timer = setTimeout(() => {
      isOver = true;
      end();
    }, of.seconds * 1000);
    process.prependOnceListener('exit', end);
    child.once('error', reject);
    child.once('exit', (status) => {
      clearTimeout(timer);
      process.off('exit', end);
      end();
      resolve({ status, isOver });
    });
  });
}
