/** Events with paths as changes with numbers: a path may name one file now and another later, a number never does. */
import { basename, dirname, relative } from 'node:path';
import { invariant } from '@emac/core';
import type { Change, Place, Recorded, Tree } from './changes.ts';
import type { Event } from './watched-calls.ts';

/** One event of one thread of one process. */
export interface Line {
  readonly by: string;
  readonly event: Event;
}

/** Numbers for the files and folders of a tree, in the order of their paths, from 1. */
export function numbered(tree: Tree): ReadonlyMap<string, number> {
  return new Map([...tree.keys()].sort().map((path, place) => [path, place + 1]));
}

/** The changes that events made below `root`, which held `start`. */
export function changesOf(lines: readonly Line[], root: string, start: Tree): Recorded[] {
  const numbering = new Numbering(start);
  for (const { by, event } of lines) numbering.add(by, withinRoot(event, root));
  return numbering.changes;
}

function withinRoot(event: Event, root: string): Event {
  if ('path' in event) return { ...event, path: relative(root, event.path) };
  if ('from' in event) return { ...event, from: relative(root, event.from), to: relative(root, event.to) };
  return event;
}

interface Open {
  readonly node: number;
  readonly path: string;
  readonly isAppending: boolean;
  position: number;
}

class Numbering {
  readonly changes: Recorded[] = [];
  readonly #names: Map<string, number>;
  /** bytes of each file */
  readonly #lengths: Map<number, number>;
  readonly #open = new Map<string, Open>();
  #next: number;

  constructor(start: Tree) {
    const numbers = numbered(start);
    this.#names = new Map([['', 0], ...numbers]);
    this.#lengths = new Map([...numbers].map(([path, node]) => [node, start.get(path)?.length ?? 0]));
    this.#next = this.#names.size;
  }

  add(by: string, event: Event): void {
    switch (event.kind) {
      case 'opened':
        return this.#opened(`${by}/${event.file}`, event.path, event.flags);
      case 'wrote':
        return this.#wrote(this.#file(by, event.file), event.bytes, event.position);
      case 'cut': {
        const { node, path } = this.#file(by, event.file);
        return this.#cut(node, path, event.length);
      }
      case 'synced': {
        const { node, path } = this.#file(by, event.file);
        return this.#change(path, { kind: 'sync', node });
      }
      case 'made':
        return void this.#enter(event.path, true);
      case 'renamed':
        return this.#renamed(event.from, event.to);
      case 'removed':
        // what is below it goes first, the deepest before the others
        for (const each of this.#below(event.path).sort((a, b) => b.length - a.length)) this.#remove(each);
        return this.#remove(event.path);
    }
  }

  #opened(opening: string, path: string, flags: string): void {
    const node = this.#names.get(path) ?? this.#enter(path, false);
    if (flags.startsWith('w') && (this.#lengths.get(node) ?? 0) > 0) this.#cut(node, path, 0);
    this.#open.set(opening, { node, path, isAppending: flags.startsWith('a'), position: 0 });
  }

  #wrote(file: Open, bytes: Uint8Array, position: number | null): void {
    const length = this.#lengths.get(file.node) ?? 0;
    const offset = file.isAppending ? length : (position ?? file.position);
    if (position === null) file.position = offset + bytes.length;
    this.#lengths.set(file.node, Math.max(length, offset + bytes.length));
    this.#change(file.path, { kind: 'write', file: file.node, offset, bytes });
  }

  #cut(node: number, path: string, length: number): void {
    this.#lengths.set(node, length);
    this.#change(path, { kind: 'cut', file: node, length });
  }

  #enter(path: string, isFolder: boolean): number {
    const place = this.#place(path);
    const node = this.#next++;
    this.#names.set(path, node);
    this.#change(path, { kind: 'enter', place, node, isFolder });
    return node;
  }

  #renamed(from: string, to: string): void {
    const node = this.#node(from);
    const change: Change = { kind: 'rename', from: this.#place(from), to: this.#place(to), node };
    for (const path of this.#below(from)) {
      this.#names.set(to + path.slice(from.length), this.#names.get(path)!);
      this.#names.delete(path);
    }
    this.#names.set(to, node);
    this.#names.delete(from);
    this.#change(to, change);
  }

  #remove(path: string): void {
    if (!this.#names.has(path)) return;
    const place = this.#place(path);
    this.#names.delete(path);
    this.#change(path, { kind: 'remove', place });
  }

  #change(path: string, change: Change): void {
    this.changes.push({ path, change });
  }

  #below(path: string): string[] {
    return [...this.#names.keys()].filter((each) => each.startsWith(`${path}/`));
  }

  #place(path: string): Place {
    return { folder: this.#node(path.includes('/') ? dirname(path) : ''), name: basename(path) };
  }

  #node(path: string): number {
    const node = this.#names.get(path);
    invariant(node !== undefined, `recording: ${path} was made before the recording began`);
    return node;
  }

  #file(by: string, file: number): Open {
    const open = this.#open.get(`${by}/${file}`);
    invariant(open, `recording: ${by} uses a file that it did not open`);
    return open;
  }
}
