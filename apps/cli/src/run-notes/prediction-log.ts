/**
 * The published trainer's log of answers and rewards: a JSON list of `{timestamp, reward, content, solution}`. Its place is `LOG_PATH`, or with
 * `DEBUG_MODE=true` alone `lewis_<job>.json` in the run folder; the job is `SLURM_JOB_ID` or `local`. It is a complete list after every update. It has clock
 * times in it, so equal bytes do not extend to it.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { whileReading, whileWriting } from '@emac/files';
import type { Host, RewardedAnswer } from '@emac/opening';
import type { Io } from '../terminal/io.ts';

/**
 * A host that also writes the log, if the environment asks for one. Errors, at the run's beginning: `data` for a file that is no such list, `cannot-create`.
 */
export function withPredictions(
  { host, close }: { readonly host: Host; close(): void },
  { env, now }: Pick<Io, 'env' | 'now'>,
): { host: Host; close(): void } {
  const path = pathOf(env);
  if (path === null) return { host, close };
  let log: PredictionLog | null = null;
  const { listener } = host;
  return {
    host: {
      ...host,
      listener: {
        ...listener,
        run(folder) {
          listener?.run?.(folder);
          log?.close();
          log = openPredictionLog(path(folder));
        },
        answered(answer) {
          listener?.answered?.(answer);
          log?.add(answer, new Date(now()));
        },
        reinforced(line) {
          listener?.reinforced?.(line);
          log?.write();
        },
      },
    },
    close() {
      log?.write();
      log?.close();
      close();
    },
  };
}

function pathOf({ LOG_PATH, DEBUG_MODE, SLURM_JOB_ID }: Io['env']): ((run: string) => string) | null {
  if (LOG_PATH) return () => LOG_PATH;
  if (DEBUG_MODE?.toLowerCase() !== 'true') return null;
  return (run) => join(run, `lewis_${SLURM_JOB_ID || 'local'}.json`);
}

interface PredictionLog {
  /** written with the next `write` */
  add(answer: RewardedAnswer, time: Date): void;
  write(): void;
  close(): void;
}

const end = '\n]\n';

/** Continues an existing list. */
function openPredictionLog(path: string): PredictionLog {
  const file = whileWriting(path, () => openSync(path, 'a+'));
  closeSync(file);
  const before = whileReading(path, () => readFileSync(path, 'utf8'));
  let isEmpty = before.trim() === '' || rowsOf(path, before) === 0;
  const opened = whileWriting(path, () => openSync(path, 'r+'));
  if (isEmpty) ftruncateSync(opened, 0);
  else ftruncateSync(opened, Buffer.byteLength(before.trimEnd().slice(0, -1).trimEnd()));
  let place = fstatSync(opened).size;
  const put = (text: string): void => {
    whileWriting(path, () => writeSync(opened, text + end, place));
    place += Buffer.byteLength(text);
  };
  put(isEmpty ? '[' : '');
  let rows: string[] = [];
  return {
    add: ({ reward, content, solution }, time) =>
      void rows.push(JSON.stringify({ timestamp: time.toISOString(), reward, content, solution })),
    write() {
      if (rows.length === 0) return;
      put(`${isEmpty ? '' : ','}\n${rows.join(',\n')}`);
      isEmpty = false;
      rows = [];
    },
    close: () => closeSync(opened),
  };
}

function rowsOf(path: string, text: string): number {
  try {
    const read: unknown = JSON.parse(text);
    if (Array.isArray(read)) return read.length;
  } catch {
    // told below
  }
  throw new EmacError('data', `LOG_PATH ${path}: must be a JSON list; move it or give another file`);
}
