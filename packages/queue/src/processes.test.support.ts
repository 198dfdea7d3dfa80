/** Worker processes for tests. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { until } from './jobs.test.support.ts';
import type { FromWorker, ToWorker } from './worker-process.test.support.ts';

const script = new URL('../dist/worker-process.test.support.js', import.meta.url);

/** Processes run the built code. */
export const isBuilt = existsSync(script);

export interface WorkerProcess {
  readonly pid: number;
  /** seeds of the jobs it has begun, in order */
  readonly began: readonly number[];
  readonly left: readonly FromWorker['left'][];
  tell(message: ToWorker): void;
  kill(signal: NodeJS.Signals): void;
  /** resolves once it has begun so many jobs */
  hasBegun(count: number): Promise<void>;
  ended(): Promise<unknown>;
}

export interface WorkerPlace {
  readonly url: string;
  readonly name: string;
  readonly leaseMs?: number;
}

/** Starts one; `wait`: each job waits for the test; a number: milliseconds per job. */
export function startWorker(
  { url, name, leaseMs = 1_000 }: WorkerPlace,
  id: string,
  wait: 'wait' | 'go' | number = 'wait',
): WorkerProcess {
  const child = fork(script, [url, name, id, String(leaseMs), String(wait)], { execArgv: [] });
  const began: number[] = [];
  const left: FromWorker['left'][] = [];
  child.on('message', (message: FromWorker) => {
    if (message.began !== undefined) began.push(message.began);
    if (message.left !== undefined) left.push(message.left);
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid!,
    began,
    left,
    tell: (message) => void child.send(message),
    kill: (signal) => void child.kill(signal),
    async hasBegun(count) {
      await until(() => began.length >= count || child.exitCode !== null);
      if (began.length < count) throw new Error(`worker ${id} has ended with ${child.exitCode}`);
    },
    ended: () => ended,
  };
}
