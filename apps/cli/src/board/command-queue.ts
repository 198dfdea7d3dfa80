/**
 * Commands that a page asked for: one at a time, as processes that outlive the board. The queue is a file, so a later
 * board finds what ran and what waits.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { createFolder, writeFileAtomic } from '@emac/files';
import type { QueuedCommand } from '@emac/pages';
import { identityOf, isAlive, layout, readRecord, standingOf, type ProcessIdentity } from '@emac/runs';
import { heldProcess } from '../sweep/cell-process.ts';

export interface CommandQueue {
  /** newest first */
  list(): readonly QueuedCommand[];
  /** `run`: the name of the resumed run. Errors: `usage` if too many wait. */
  add(command: {
    readonly words: readonly string[];
    readonly text: string;
    readonly run: string | null;
  }): QueuedCommand;
  /** Errors: `missing`. */
  stop(id: number): void;
  /** Counts changes. */
  readonly version: number;
  /** Starts what waits, and watches what runs, from now on. */
  begin(): void;
  /** Watches no longer; what runs goes on. */
  close(): void;
}

export interface QueueOptions {
  /** of the runs */
  readonly folder: string;
  /** of the queue's file and of what the commands print */
  readonly place: string;
  /** working directory of new commands, absolute */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** milliseconds between two looks at a process */
  readonly every?: number;
}

interface Item extends QueuedCommand {
  readonly words: readonly string[];
  /** working directory; absent in queues of earlier versions */
  readonly directory?: string;
  readonly process: ProcessIdentity | null;
  /** it was asked to save and stop; another request would end it before it has */
  readonly isStopping?: boolean;
}

/** older ones that have ended are forgotten */
const kept = 100;
/** commands that may wait */
const mostWaiting = 1000;
/** exit status of a run that saved itself on request */
const interrupted = 75;
/** runs whose process is looked at */
const newest = 20;

/** Continues the queue of an earlier board. Errors: `io`, `cannot-create`. */
export function commandQueue(options: QueueOptions): CommandQueue {
  const { folder, place, directory, env, now, every = 500 } = options;
  const file = join(place, 'queue.json');
  createFolder(place);
  let items = itemsIn(file);
  let version = 0;
  let isClosed = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const outputOf = (id: number) => join(place, `${id}.log`);
  const time = () => now().toISOString();

  const save = () => {
    version++;
    const old = new Set(items.filter(hasEnded).slice(0, Math.max(0, items.length - kept)));
    items = items.filter((item) => !old.has(item));
    writeFileAtomic(file, `${JSON.stringify(items, null, 1)}\n`);
    for (const { id } of old) discard(outputOf(id));
  };
  const change = (id: number, changed: Partial<Item>) => {
    items = items.map((item) => (item.id === id ? { ...item, ...changed } : item));
    save();
  };
  const running = () => items.find(({ state }) => state === 'running');

  const findRun = (item: Item) => {
    if (item.process === null) return;
    const run = runOf(folder, item.process.pid, item.started!);
    if (run !== null && run !== item.run) change(item.id, { run });
  };

  const ended = (id: number, status: number | null) => {
    // another board has the queue now
    if (isClosed) return;
    const item = items.find((each) => each.id === id);
    if (item?.state !== 'running') return;
    findRun(item);
    const run = items.find((each) => each.id === id)!.run;
    const state = status === null ? stateOfRun(run && join(folder, run), now()) : stateOf(status);
    change(id, { state, ended: time(), message: state === 'failed' ? lastWords(outputOf(id)) : null });
    advance();
  };

  const advance = () => {
    const next = running() ? undefined : items.find(({ state }) => state === 'waiting');
    if (!next) return;
    const { id } = next;
    const held = heldFor(next);
    if (held === null) return;
    const { child, begin } = held;
    child.on('error', () => ended(id, 1));
    child.on('exit', (status) => ended(id, status));
    child.unref();
    const process = child.pid === undefined ? null : identityOf(child.pid);
    change(id, { state: 'running', started: time(), process });
    begin();
  };

  /** Null, with its message in the list, for one that cannot be started at all. */
  const heldFor = ({ id, words, directory: cwd = directory }: Item) => {
    try {
      return heldProcess(words, { output: outputOf(id), env, cwd });
    } catch (thrown) {
      change(id, { state: 'failed', ended: time(), message: messageOf(thrown) });
      return null;
    }
  };

  // a process of an earlier board tells nobody that it has ended
  const look = () => {
    const item = running();
    if (!item) return advance();
    if (item.process === null || isAlive(item.process) !== true) ended(item.id, null);
    else if (item.run === null) findRun(item);
  };

  return {
    begin() {
      look();
      timer = setInterval(() => {
        try {
          look();
        } catch {
          // a disk that is full or away may be there at the next look; runs do not end with the board
        }
      }, every);
      timer.unref();
    },
    list: () => items.map(shown).reverse(),
    add({ words, text, run }) {
      if (items.filter(({ state }) => state === 'waiting').length >= mostWaiting)
        throw new EmacError('usage', `${mostWaiting} commands wait already; cancel some`);
      const id = (items.at(-1)?.id ?? 0) + 1;
      items.push({
        id,
        words,
        directory,
        command: text,
        state: 'waiting',
        run,
        process: null,
        asked: time(),
        started: null,
        ended: null,
        message: null,
      });
      save();
      if (timer) advance();
      return shown(items.find((item) => item.id === id)!);
    },
    stop(id) {
      const item = items.find((each) => each.id === id);
      if (item?.state === 'waiting') change(id, { state: 'cancelled', ended: time() });
      else if (item?.state === 'running' && item.process !== null) {
        if (item.isStopping) return;
        askToStop(item.process);
        change(id, { isStopping: true });
      } else throw new EmacError('missing', `command ${id}: neither waits nor runs`);
    },
    get version() {
      return version;
    },
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

function hasEnded({ state }: Item): boolean {
  return state !== 'waiting' && state !== 'running';
}

function shown(item: Item): QueuedCommand {
  const {
    words: _words,
    directory: _directory,
    process: _process,
    isStopping: _isStopping,
    ...command
  } = item;
  return command;
}

/** None for a missing or damaged file. */
function itemsIn(file: string): Item[] {
  try {
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Item[]) : [];
  } catch {
    return [];
  }
}

function stateOf(status: number): QueuedCommand['state'] {
  if (status === 0) return 'done';
  return status === interrupted ? 'stopped' : 'failed';
}

/** Of a process whose exit status nobody has seen. */
function stateOfRun(run: string | null, now: Date): QueuedCommand['state'] {
  // its folder may be gone
  const status = run === null || !existsSync(join(run, layout.run)) ? null : standingOf(run, now).status;
  if (status === 'done') return 'done';
  return status === 'interrupted' ? 'stopped' : 'failed';
}

/** Name of the newest run of a process; null before it has one. */
function runOf(folder: string, pid: number, started: string): string | null {
  const names = readdirSync(folder)
    .filter((name) => !name.startsWith('.') && existsSync(join(folder, name, layout.run)))
    .sort()
    .slice(-newest)
    .reverse();
  return names.find((name) => isOf(join(folder, name), pid, started)) ?? null;
}

/** A process id may have been another's before. */
function isOf(run: string, pid: number, started: string): boolean {
  try {
    const record = readRecord(run);
    return record.pid === pid && record.started >= started;
  } catch {
    return false;
  }
}

/** Errors: `unavailable` where a process may be another's. */
export function askToStop(process: ProcessIdentity): void {
  if (process.start === '' || isAlive(process) !== true)
    throw new EmacError(
      'unavailable',
      `process ${process.pid}: has ended, or is not surely the one that was started`,
    );
  globalThis.process.kill(process.pid, 'SIGINT');
}

/** A file that cannot be removed stays. */
function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // the queue is more important
  }
}

/** bytes of what a command printed that may hold its fault */
const endBytes = 64 << 10;

/** The fault that a command printed. */
function lastWords(output: string): string | null {
  const lines = existsSync(output) ? endOf(output).trim().split('\n') : [];
  return (
    (lines.findLast((line) => line.startsWith('emac: ')) ?? lines.at(-1))?.replace(/^emac: /, '') ?? null
  );
}

function endOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, endBytes));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, size - bytes.length)).toString('utf8');
  } finally {
    closeSync(file);
  }
}
