/**
 * A tree of files and folders in memory, changed by operations that are plain data: a tab's disk is the tree that its logged operations
 * make, in their order.
 */
import { fault } from './fault.ts';

export interface FileEntry {
  readonly kind: 'file';
  readonly id: number;
  /** at least `length` bytes */
  bytes: Uint8Array<ArrayBuffer>;
  length: number;
  /** milliseconds since 1970 */
  time: number;
}

export interface FolderEntry {
  readonly kind: 'folder';
  readonly id: number;
  readonly children: Map<string, Entry>;
  time: number;
}

export type Entry = FileEntry | FolderEntry;

/** A change of the tree. Paths are absolute, without `.` and `..`. */
export type Operation =
  | { readonly op: 'file' | 'folder'; readonly path: string; readonly id: number }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'rename'; readonly path: string; readonly to: string }
  /** changes nothing: the operations before it are all that a log began with */
  | { readonly op: 'whole' }
  | { readonly op: 'cut'; readonly id: number; readonly length: number }
  | { readonly op: 'write'; readonly id: number; readonly at: number; readonly bytes: Uint8Array };

export interface Tree {
  readonly root: FolderEntry;
  /** a number that no entry has had */
  readonly freeId: number;
  /** Applies a change that `path` and `id` allow. `time` becomes that of what changed. */
  apply(operation: Operation, time: number): void;
  find(path: string): Entry | undefined;
  /** Removes everything. */
  clear(): void;
}

/** An empty tree. */
export function createTree(): Tree {
  const root: FolderEntry = { kind: 'folder', id: 0, children: new Map(), time: 0 };
  let freeId = 1;
  const files = new Map<number, FileEntry>();

  const find = (path: string): Entry | undefined => {
    let entry: Entry | undefined = root;
    for (const name of names(path)) {
      if (entry?.kind !== 'folder') return undefined;
      entry = entry.children.get(name);
    }
    return entry;
  };
  const parentOf = (path: string): { readonly folder: FolderEntry; readonly name: string } => {
    const all = names(path);
    const name = all.pop();
    const folder = find(`/${all.join('/')}`);
    if (name === undefined) throw fault('EBUSY', 'change', path);
    if (!folder) throw fault('ENOENT', 'open', path);
    if (folder.kind === 'file') throw fault('ENOTDIR', 'open', path);
    return { folder, name };
  };
  /** Forgets the files at and below an entry that lost its name. What is written to them later changes nothing. */
  const forget = (entry: Entry | undefined): void => {
    if (entry?.kind === 'file') files.delete(entry.id);
    else for (const each of entry?.children.values() ?? []) forget(each);
  };

  const apply = (operation: Operation, time: number): void => {
    switch (operation.op) {
      case 'file':
      case 'folder': {
        const { folder, name } = parentOf(operation.path);
        const entry: Entry =
          operation.op === 'folder'
            ? { kind: 'folder', id: operation.id, children: new Map(), time }
            : { kind: 'file', id: operation.id, bytes: new Uint8Array(0), length: 0, time };
        freeId = Math.max(freeId, operation.id + 1);
        if (entry.kind === 'file') files.set(entry.id, entry);
        forget(folder.children.get(name));
        folder.children.set(name, entry);
        folder.time = time;
        return;
      }
      case 'whole':
        return;
      case 'remove': {
        const { folder, name } = parentOf(operation.path);
        forget(folder.children.get(name));
        folder.children.delete(name);
        folder.time = time;
        return;
      }
      case 'rename': {
        const from = parentOf(operation.path);
        const to = parentOf(operation.to);
        const entry = from.folder.children.get(from.name);
        if (!entry) throw fault('ENOENT', 'rename', operation.path);
        if (to.folder.children.get(to.name) !== entry) forget(to.folder.children.get(to.name));
        from.folder.children.delete(from.name);
        to.folder.children.set(to.name, entry);
        from.folder.time = to.folder.time = time;
        return;
      }
      case 'cut': {
        const file = files.get(operation.id);
        if (!file) return;
        resize(file, operation.length);
        file.time = time;
        return;
      }
      case 'write': {
        const file = files.get(operation.id);
        if (!file) return;
        const end = operation.at + operation.bytes.byteLength;
        if (end > file.length) resize(file, end);
        file.bytes.set(operation.bytes, operation.at);
        file.time = time;
      }
    }
  };
  return {
    root,
    get freeId() {
      return freeId;
    },
    apply,
    find,
    clear() {
      root.children.clear();
      files.clear();
    },
  };
}

/** The names of a path from the root down. */
export function names(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

/** Zeros fill what was not there. Memory grows by doubling, so that an append costs its own length. */
function resize(file: FileEntry, length: number): void {
  if (length > file.bytes.byteLength) {
    const larger = new Uint8Array(Math.max(length, 2 * file.length));
    larger.set(file.bytes.subarray(0, file.length));
    file.bytes = larger;
  } else if (length < file.length) file.bytes.fill(0, length, file.length);
  file.length = length;
}
