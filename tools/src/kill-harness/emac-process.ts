/** One `emac` process that reports every failpoint, so it can be killed during a given activity. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const activities = ['acting', 'updating', 'reflecting', 'writing', 'evaluating'] as const;
export type Activity = (typeof activities)[number];

export interface Ended {
  /** null after a kill */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
  /** failpoints passed, in order */
  readonly passed: readonly string[];
  /** its activity at the last signal or at its end; null before and after training */
  readonly doing: Activity | null;
  readonly seconds: number;
}

export interface Watched {
  readonly failpoint?: string;
  /** whether an evaluation is under way, judged by its files */
  readonly evaluates?: () => boolean;
  /** called at every failpoint with the current activity */
  readonly onPoint?: (doing: Activity | null, kill: (signal: NodeJS.Signals) => void) => void;
}

const program = fileURLToPath(new URL('../../../apps/cli/bin/emac.mjs', import.meta.url));
const limitMs = 120_000;

/** Runs `emac <argv>` until it ends. */
export function runEmac(argv: readonly string[], watched: Watched = {}): Promise<Ended> {
  const { failpoint, onPoint } = watched;
  const start = performance.now();
  const env = { ...process.env, EMAC_FAILPOINT_FD: '3', EMAC_FAILPOINT: failpoint ?? '' };
  const child = spawn(process.execPath, [program, ...argv], {
    env,
    timeout: limitMs,
    killSignal: 'SIGKILL' as const,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let [stderr, doing] = ['', null as Activity | null];
  let struck: Activity | null | undefined;
  const passed: string[] = [];
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  createInterface(child.stdio[3] as Readable).on('line', (name) => {
    passed.push(name);
    doing = activityAfter(name, doing, watched);
    onPoint?.(doing, (signal) => {
      struck = doing;
      child.kill(signal);
    });
  });
  return new Promise((resolve) =>
    child.on('close', (status, signal) => {
      const seconds = (performance.now() - start) / 1000;
      // a killed process may continue a little before the signal reaches it; a stopped one continues
      const last = signal === 'SIGKILL' ? doing : (struck ?? doing);
      resolve({ status, signal, stderr, passed, doing: last, seconds });
    }),
  );
}

function activityAfter(failpoint: string, before: Activity | null, { evaluates }: Watched): Activity | null {
  // every game of an evaluation is appended to its file
  if (failpoint === 'appended' && evaluates?.()) return 'evaluating';
  if (before === 'evaluating') return evaluates?.() ? before : null;
  if (failpoint === 'checkpoint-begins') return 'writing';
  if (failpoint === 'acting' || failpoint === 'updating' || failpoint === 'reflecting') return failpoint;
  return failpoint === 'measuring' ? null : before;
}
