/* eslint-disable max-params -- Node's functions have as many */
/** Node's synchronous functions for files over a tree in memory. Every change is one operation, which `record` sees before it is made. */
import { basename, resolve as absolute } from 'pathe';
import { fault } from './fault.ts';
import {
  createTree,
  type Entry,
  type FileEntry,
  type FolderEntry,
  type Operation,
  type Tree,
} from './tree.ts';

/** Where operations are kept; a disk without one forgets with its tab. */
export interface Keeper {
  record(operation: Operation, time: number): void;
  /** returns when every recorded operation is stored */
  sync(): void;
  /** free bytes */
  readonly free: number;
}

const nowhere: Keeper = { record: () => {}, sync: () => {}, free: 2 ** 40 };

interface Open {
  readonly entry: Entry;
  readonly path: string;
  position: number;
  readonly mode: 'read' | 'write' | 'append';
}

type Flags = 'r' | 'r+' | 'w' | 'wx' | 'a' | 'ax' | 'a+';
type Encoding = 'utf8' | { readonly encoding?: 'utf8' | null; readonly flag?: string } | null;

/** A path, or the `file:` address of one. */
type Path = string | URL;

/** What `statSync` answers. */
export interface Stats {
  readonly size: number;
  readonly mtimeMs: number;
  readonly mtime: Date;
  readonly ino: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export interface Disk {
  readonly tree: Tree;
  /** From now on changes are kept there. */
  keepIn(keeper: Keeper): void;
  readonly existsSync: (path: Path) => boolean;
  readonly statSync: (
    path: Path,
    options?: { readonly throwIfNoEntry?: boolean; readonly bigint?: boolean },
  ) => Stats | undefined;
  readonly readdirSync: (path: string, options?: { readonly withFileTypes?: boolean }) => (string | Named)[];
  readonly readFileSync: (path: Path | number, encoding?: Encoding) => Uint8Array<ArrayBuffer> | string;
  readonly writeFileSync: (
    path: string,
    data: Uint8Array | string,
    options?: { readonly flag?: string },
  ) => void;
  readonly mkdirSync: (path: string, options?: { readonly recursive?: boolean }) => void;
  readonly rmSync: (
    path: string,
    options?: { readonly recursive?: boolean; readonly force?: boolean },
  ) => void;
  readonly rmdirSync: (path: string) => void;
  readonly renameSync: (from: string, to: string) => void;
  readonly openSync: (path: string, flags?: Flags) => number;
  readonly closeSync: (descriptor: number) => void;
  readonly fstatSync: (descriptor: number) => Stats;
  readonly fsyncSync: (descriptor: number) => void;
  readonly ftruncateSync: (descriptor: number, length?: number) => void;
  readonly readSync: (
    descriptor: number,
    bytes: Uint8Array,
    offset?: number,
    length?: number,
    position?: number | null,
  ) => number;
  readonly writeSync: (
    descriptor: number,
    data: Uint8Array | string,
    offset?: number,
    length?: number,
    position?: number | null,
  ) => number;
  readonly realpathSync: (path: string) => string;
  readonly statfsSync: (path: string) => { readonly bavail: number; readonly bsize: number };
}

interface Named {
  readonly name: string;
  readonly parentPath: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** An empty disk. `now` gives milliseconds since 1970. */
export function createDisk(now: () => number): Disk {
  const tree = createTree();
  const open = new Map<number, Open>();
  let keeper = nowhere;
  let nextDescriptor = 3;

  const change = (operation: Operation): void => {
    const time = now();
    keeper.record(operation, time);
    tree.apply(operation, time);
  };
  const existing = (path: Path, syscall: string): Entry => {
    const entry = tree.find(resolve(path));
    if (!entry) throw fault(isBelowFile(tree, resolve(path)) ? 'ENOTDIR' : 'ENOENT', syscall, String(path));
    return entry;
  };
  const folderAt = (path: string, syscall: string): FolderEntry => {
    const entry = existing(path, syscall);
    if (entry.kind === 'file') throw fault('ENOTDIR', syscall, path);
    return entry;
  };
  const requireParent = (path: string, syscall: string): void => {
    folderAt(resolve(path, '..'), syscall);
  };
  const opened = (descriptor: number): Open => {
    const each = open.get(descriptor);
    if (!each) throw fault('EBADF', 'use', String(descriptor));
    return each;
  };
  const fileOf = (descriptor: number): FileEntry => {
    const { entry, path } = opened(descriptor);
    if (entry.kind === 'folder') throw fault('EISDIR', 'read', path);
    return entry;
  };

  const openSync: Disk['openSync'] = (path, flags = 'r') => {
    const whole = resolve(path);
    let entry = tree.find(whole);
    if (flags === 'r' || flags === 'r+') entry ??= existing(path, 'open');
    if (entry && flags.includes('x')) throw fault('EEXIST', 'open', path);
    if (entry?.kind === 'folder' && flags !== 'r') throw fault('EISDIR', 'open', path);
    if (!entry) {
      requireParent(whole, 'open');
      change({ op: 'file', path: whole, id: tree.freeId });
      entry = tree.find(whole)!;
    } else if (flags === 'w') change({ op: 'cut', id: entry.id, length: 0 });
    const mode = flags === 'r' ? 'read' : flags.startsWith('a') ? 'append' : 'write';
    open.set(nextDescriptor, { entry, path, position: 0, mode });
    return nextDescriptor++;
  };
  const writeSync: Disk['writeSync'] = (descriptor, data, offset = 0, length, position = null) => {
    const file = fileOf(descriptor);
    const its = opened(descriptor);
    if (its.mode === 'read') throw fault('EBADF', 'write', its.path);
    const all = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const bytes = all.slice(offset, length === undefined ? undefined : offset + length);
    const at = its.mode === 'append' ? file.length : (position ?? its.position);
    change({ op: 'write', id: file.id, at, bytes });
    if (position === null) its.position = at + bytes.byteLength;
    return bytes.byteLength;
  };
  const closeSync: Disk['closeSync'] = (descriptor) => {
    opened(descriptor);
    open.delete(descriptor);
  };
  const rmSync: Disk['rmSync'] = (path, { recursive = false, force = false } = {}) => {
    const entry = tree.find(resolve(path));
    if (!entry && force) return;
    if (existing(path, 'rm').kind === 'folder' && !recursive) throw fault('EISDIR', 'rm', path);
    requireNamed(path, 'rm');
    change({ op: 'remove', path: resolve(path) });
  };

  return {
    tree,
    keepIn(given) {
      keeper = given;
    },
    existsSync: (path) => tree.find(resolve(path)) !== undefined,
    statSync(path, { throwIfNoEntry = true } = {}) {
      const entry = tree.find(resolve(path));
      if (!entry && !throwIfNoEntry) return undefined;
      return statsOf(existing(path, 'stat'));
    },
    readdirSync(path, { withFileTypes = false } = {}) {
      const children = [...folderAt(path, 'scandir').children].sort(([a], [b]) => (a < b ? -1 : 1));
      return children.map(([name, entry]) => (withFileTypes ? named(name, path, entry) : name));
    },
    readFileSync(path, encoding = null) {
      const file = typeof path === 'number' ? fileOf(path) : existing(path, 'open');
      if (file.kind === 'folder') throw fault('EISDIR', 'read', String(path));
      const bytes = file.bytes.slice(0, file.length);
      return isText(encoding) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : bytes;
    },
    writeFileSync(path, data, { flag = 'w' } = {}) {
      const descriptor = openSync(path, flag as Flags);
      try {
        writeSync(descriptor, data);
      } finally {
        closeSync(descriptor);
      }
    },
    mkdirSync(path, { recursive = false } = {}) {
      const whole = resolve(path);
      const levels = recursive ? pathsTo(whole) : [whole];
      for (const level of levels) {
        const entry = tree.find(level);
        if (entry && (!recursive || entry.kind === 'file'))
          throw fault(level === whole ? 'EEXIST' : 'ENOTDIR', 'mkdir', path);
        if (entry) continue;
        requireParent(level, 'mkdir');
        change({ op: 'folder', path: level, id: tree.freeId });
      }
    },
    rmSync,
    rmdirSync(path) {
      if (folderAt(path, 'rmdir').children.size > 0) throw fault('ENOTEMPTY', 'rmdir', path);
      requireNamed(path, 'rmdir');
      change({ op: 'remove', path: resolve(path) });
    },
    renameSync(from, to) {
      const [source, target] = [resolve(from), resolve(to)];
      for (const each of [source, target]) requireParent(each, 'rename');
      const entry = existing(from, 'rename');
      if (target === source) return;
      for (const each of [source, target]) requireNamed(each, 'rename');
      if (target.startsWith(`${source}/`)) throw fault('EINVAL', 'rename', to);
      // a folder that holds the source is not empty, and Linux looks at that first
      if (source.startsWith(`${target}/`)) throw fault('ENOTEMPTY', 'rename', to);
      const there = tree.find(target);
      if (there && there.kind !== entry.kind)
        throw fault(there.kind === 'folder' ? 'EISDIR' : 'ENOTDIR', 'rename', to);
      if (there?.kind === 'folder' && there.children.size > 0) throw fault('ENOTEMPTY', 'rename', to);
      change({ op: 'rename', path: source, to: target });
    },
    openSync,
    closeSync,
    fstatSync: (descriptor) => statsOf(opened(descriptor).entry),
    fsyncSync(descriptor) {
      opened(descriptor);
      keeper.sync();
    },
    ftruncateSync(descriptor, length = 0) {
      change({ op: 'cut', id: fileOf(descriptor).id, length });
    },
    readSync(descriptor, bytes, offset = 0, length = bytes.byteLength - offset, position = null) {
      const file = fileOf(descriptor);
      const its = opened(descriptor);
      const at = position ?? its.position;
      const part = file.bytes.subarray(at, Math.max(at, Math.min(at + length, file.length)));
      bytes.set(part, offset);
      if (position === null) its.position += part.byteLength;
      return part.byteLength;
    },
    writeSync,
    realpathSync(path) {
      existing(path, 'realpath');
      return resolve(path);
    },
    statfsSync(path) {
      existing(path, 'statfs');
      return { bavail: Math.floor(keeper.free / 4096), bsize: 4096 };
    },
  };
}

/** The absolute path of a path, or of a `file:` address as modules name their neighbours. */
function resolve(path: Path, below = '.'): string {
  return absolute(typeof path === 'string' ? path : decodeURIComponent(path.pathname), below);
}

function isText(encoding: Encoding): boolean {
  return (typeof encoding === 'string' ? encoding : encoding?.encoding) != null;
}

function statsOf(entry: Entry): Stats {
  return {
    size: entry.kind === 'file' ? entry.length : 0,
    mtimeMs: entry.time,
    mtime: new Date(entry.time),
    ino: entry.id,
    isFile: () => entry.kind === 'file',
    isDirectory: () => entry.kind === 'folder',
    isSymbolicLink: () => false,
  };
}

function named(name: string, parentPath: string, entry: Entry): Named {
  return {
    name,
    parentPath,
    isFile: () => entry.kind === 'file',
    isDirectory: () => entry.kind === 'folder',
  };
}

/** The path of every folder from the root down to `path`. */
function pathsTo(path: string): string[] {
  const parent = resolve(path, '..');
  return basename(path) === '' ? [] : [...pathsTo(parent), path];
}

function isBelowFile(tree: Tree, path: string): boolean {
  return pathsTo(path).some((each) => tree.find(each)?.kind === 'file');
}

/** Before it is recorded: the root cannot be changed. */
function requireNamed(path: Path, syscall: string): void {
  if (resolve(path) === '/') throw fault('EBUSY', syscall, String(path));
}
