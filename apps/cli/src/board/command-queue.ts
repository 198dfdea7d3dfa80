/**
 * Commands that a page asked for: one at a time, as processes that outlive the board. The queue is a file, so a later
 * board finds what ran and what waits.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { createFolder, writeFileAtomic } from '@emac/files';
import type { QueuedCommand } from '@emac/pages';
import { identityOf, isAlive, layout, readRecord, standingOf, type ProcessIdentity } from '@emac/runs';
import { startProcess } from '../sweep/cell-process.ts';

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
  /** Watches no longer; what runs goes on. */
  close(): void;
}

export interface QueueOptions {
  /** of the runs */
  readonly folder: string;
  /** of the queue's file and of what the commands print */
  readonly place: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** milliseconds between two looks at a process */
  readonly every?: number;
}

interface Item extends QueuedCommand {
  readonly words: readonly string[];
  readonly process: ProcessIdentity | null;
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
export function commandQueue({ folder, place, env, now, every = 500 }: QueueOptions): CommandQueue {
  const file = join(place, 'queue.json');
  createFolder(place);
  let items = itemsIn(file);
  let version = 0;
  let isClosed = false;
  /** running ones that were asked to stop */
  const stopping = new Set<number>();
  const outputOf = (id: number) => join(place, `${id}.log`);
  const time = () => now().toISOString();

  const save = () => {
    version++;
    const old = new Set(items.filter(hasEnded).slice(0, Math.max(0, items.length - kept)));
    items = items.filter((item) => !old.has(item));
    writeFileAtomic(file, `${JSON.stringify(items, null, 1)}\n`);
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
    stopping.delete(id);
    findRun(item);
    const run = items.find((each) => each.id === id)!.run;
    const state = status === null ? stateOfRun(run && join(folder, run), now()) : stateOf(status);
    change(id, { state, ended: time(), message: state === 'failed' ? lastWords(outputOf(id)) : null });
    advance();
  };

  const advance = () => {
    const next = running() ? undefined : items.find(({ state }) => state === 'waiting');
    if (!next) return;
    const { id, words } = next;
    const child = begun(id, words);
    if (child === null) return;
    child.on('error', () => ended(id, 1));
    child.on('exit', (status) => ended(id, status));
    child.unref();
    const process = child.pid === undefined ? null : identityOf(child.pid);
    change(id, { state: 'running', started: time(), process });
  };

  /** Null, with its message in the list, for one that cannot be started at all. */
  const begun = (id: number, words: readonly string[]) => {
    try {
      return startProcess(words, { output: outputOf(id), env });
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
  look();
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // a disk that is full or away may be there at the next look; runs do not end with the board
    }
  }, every);
  timer.unref();

  return {
    list: () => items.map(shown).reverse(),
    add({ words, text, run }) {
      if (items.filter(({ state }) => state === 'waiting').length >= mostWaiting)
        throw new EmacError('usage', `${mostWaiting} commands wait already; cancel some`);
      const id = (items.at(-1)?.id ?? 0) + 1;
      items.push({
        id,
        words,
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
      advance();
      return shown(items.find((item) => item.id === id)!);
    },
    stop(id) {
      const item = items.find((each) => each.id === id);
      if (item?.state === 'waiting') change(id, { state: 'cancelled', ended: time() });
      else if (item?.state === 'running' && item.process !== null) {
        // a second request would end it before it has saved itself
        if (!stopping.has(id)) askToStop(item.process);
        stopping.add(id);
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

function shown({ words: _words, process: _process, ...command }: Item): QueuedCommand {
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

/** The fault that a command printed. */
function lastWords(output: string): string | null {
  const lines = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [];
  return (
    (lines.findLast((line) => line.startsWith('emac: ')) ?? lines.at(-1))?.replace(/^emac: /, '') ?? null
  );
}
