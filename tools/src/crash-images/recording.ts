/**
 * Records every change below a folder, by this process and by those that it starts, as numbers of files and folders, so
 * that it can be replayed and lost in part. All processes append to one log, so the order is theirs together.
 */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type { Recorded, Tree } from './changes.ts';
import { changesOf, type Line } from './numbered-changes.ts';
import { watchCalls } from './watched-calls.ts';

const variables = { root: 'EMAC_RECORDED_FOLDER', log: 'EMAC_RECORDED_LOG' } as const;

/** Records while `action` runs; the folder holds `start` then. */
export async function recording<T>(
  root: string,
  start: Tree,
  action: () => Promise<T>,
): Promise<{ readonly result: T; readonly changes: readonly Recorded[] }> {
  const log = `${root}.events`;
  rmSync(log, { force: true });
  const before = { ...process.env };
  Object.assign(process.env, {
    [variables.root]: root,
    [variables.log]: log,
    NODE_OPTIONS: `${before['NODE_OPTIONS'] ?? ''} --import ${new URL('recorded-process.js', import.meta.url).href}`,
  });
  const stop = recordHere();
  try {
    const result = await action();
    stop();
    return { result, changes: changesOf(linesOf(log), root, start) };
  } finally {
    stop();
    for (const name of [...Object.values(variables), 'NODE_OPTIONS']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(log, { force: true });
  }
}

/** Appends what this thread does to the log that the environment names; nothing without one. */
export function recordHere(): () => void {
  const [root, log] = [process.env[variables.root], process.env[variables.log]];
  if (root === undefined || log === undefined) return () => {};
  const descriptor = openSync(log, 'a');
  const by = `${process.pid}/${threadId}`;
  const stopWatching = watchCalls(root, {
    after: (event) => write(descriptor, `${JSON.stringify({ by, event }, inBase64)}\n`),
  });
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    stopWatching();
    closeSync(descriptor);
  };
}

/** kept: the watched functions are replaced ones */
const write = writeSync;

function inBase64(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  // a Buffer has been made a list of numbers before it comes here
  const { type, data } = (value ?? {}) as { readonly type?: string; readonly data?: readonly number[] };
  return type === 'Buffer' && data ? { base64: Buffer.from(data).toString('base64') } : value;
}

function linesOf(log: string): Line[] {
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) =>
        JSON.parse(line, (_key, value: { readonly base64?: string } | null) =>
          typeof value?.base64 === 'string' ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value,
        ) as Line,
    );
}
