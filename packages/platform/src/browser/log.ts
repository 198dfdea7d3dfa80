/**
 * Operations of a disk as one growing file: a tab's disk is read back from it after a reload. One frame an operation: its length and its
 * CRC-32, four bytes each, little-endian; then a JSON text, a zero byte, and the bytes of a write. A frame that was cut off, or whose
 * checksum differs, ends the log.
 */
import { crc32 } from './crc32.ts';
import type { Keeper } from './disk.ts';
import { fault } from './fault.ts';
import type { FolderEntry, Operation, Tree } from './tree.ts';

/** The part of `FileSystemSyncAccessHandle` that is used (File System API, WHATWG). */
export interface LogFile {
  getSize(): number;
  read(bytes: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(length: number): void;
  flush(): void;
}

const headBytes = 8;
const bytesPerWrite = 1 << 20;

export interface OpenedLog extends Keeper {
  /** whether all was written that a new log begins with */
  readonly isWhole: boolean;
  /** bytes in use */
  readonly length: number;
}

/**
 * Applies the log's operations to `tree`, cuts off a torn end, and returns a keeper that goes on from there. A log that is not whole is
 * left as it is.
 */
export function openLog(file: LogFile, tree: Tree, free: () => number): OpenedLog {
  const { end, isWhole } = replay(file, tree);
  if (isWhole && file.getSize() > end) file.truncate(end);
  return appending(file, { start: end, isWhole, free });
}

/** Begins a log with what the tree has now: operations that made what is gone, or was overwritten, are left out. */
export function beginLog(file: LogFile, tree: Tree, free: () => number): OpenedLog {
  file.truncate(0);
  const log = appending(file, { start: 0, isWhole: true, free });
  for (const { operation, time } of operationsOf(tree.root, '')) log.record(operation, time);
  log.record({ op: 'whole' }, 0);
  log.sync();
  return log;
}

interface Beginning extends Pick<OpenedLog, 'isWhole'> {
  readonly start: number;
  /** bytes that were free at the start */
  readonly free: () => number;
}

function appending(file: LogFile, { start, isWhole, free }: Beginning): OpenedLog {
  let end = start;
  return {
    isWhole,
    record(operation, time) {
      for (const part of inParts(operation)) {
        const frame = encode(part, time);
        writeAll(file, frame, end);
        end += frame.byteLength;
      }
    },
    sync: () => file.flush(),
    get free() {
      return Math.max(0, free() - (end - start));
    },
    get length() {
      return end;
    },
  };
}

function* operationsOf(
  folder: FolderEntry,
  path: string,
): Generator<{ readonly operation: Operation; readonly time: number }> {
  for (const [name, entry] of folder.children) {
    const { kind, id, time } = entry;
    yield { operation: { op: kind, path: `${path}/${name}`, id }, time };
    if (kind === 'folder') yield* operationsOf(entry, `${path}/${name}`);
    else yield { operation: { op: 'write', id, at: 0, bytes: entry.bytes.subarray(0, entry.length) }, time };
  }
}

function replay(file: LogFile, tree: Tree): { readonly end: number; readonly isWhole: boolean } {
  let [end, isWhole] = [0, false];
  for (const { operation, time, after } of framesOf(file)) {
    if (!isApplied(tree, operation, time)) break;
    isWhole ||= operation.op === 'whole';
    end = after;
  }
  return { end, isWhole };
}

/** False for an operation that the tree refuses: the log ends before it. */
function isApplied(tree: Tree, operation: Operation, time: number): boolean {
  try {
    tree.apply(operation, time);
    return true;
  } catch {
    return false;
  }
}

function* framesOf(
  file: LogFile,
): Generator<{ readonly operation: Operation; readonly time: number; readonly after: number }> {
  const size = file.getSize();
  for (let at = 0; at + headBytes <= size;) {
    const head = new DataView(readAt(file, at, headBytes).buffer);
    const after = at + headBytes + head.getUint32(0, true);
    if (after > size) return;
    const body = readAt(file, at + headBytes, after - at - headBytes);
    if (crc32(body) !== head.getUint32(4, true)) return;
    yield { ...decode(body), after };
    at = after;
  }
}

function* inParts(operation: Operation): Generator<Operation> {
  if (operation.op !== 'write') return yield operation;
  for (let start = 0; start < Math.max(1, operation.bytes.byteLength); start += bytesPerWrite)
    yield {
      ...operation,
      at: operation.at + start,
      bytes: operation.bytes.subarray(start, start + bytesPerWrite),
    };
}

function encode(operation: Operation, time: number): Uint8Array {
  const bytes = operation.op === 'write' ? operation.bytes : new Uint8Array(0);
  const words = new TextEncoder().encode(JSON.stringify({ ...operation, bytes: undefined, time }));
  const frame = new Uint8Array(headBytes + words.byteLength + 1 + bytes.byteLength);
  frame.set(words, headBytes);
  frame.set(bytes, headBytes + words.byteLength + 1);
  const view = new DataView(frame.buffer);
  view.setUint32(0, frame.byteLength - headBytes, true);
  view.setUint32(4, crc32(frame.subarray(headBytes)), true);
  return frame;
}

function decode(body: Uint8Array): { readonly operation: Operation; readonly time: number } {
  const end = body.indexOf(0);
  const { time, ...operation } = JSON.parse(new TextDecoder().decode(body.subarray(0, end))) as Operation & {
    readonly time: number;
  };
  return {
    operation: operation.op === 'write' ? { ...operation, bytes: body.slice(end + 1) } : operation,
    time,
  };
}

function readAt(file: LogFile, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  file.read(bytes, { at });
  return bytes;
}

function writeAll(file: LogFile, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.byteLength;) {
    const written = unlessFull(() => file.write(bytes.subarray(done), { at: at + done }));
    if (written === 0) throw fault('ENOSPC', 'write', 'the disk of the tab');
    done += written;
  }
}

/** 0 where the browser refuses more bytes for the site. */
function unlessFull(write: () => number): number {
  try {
    return write();
  } catch (thrown) {
    if ((thrown as { readonly name?: string }).name === 'QuotaExceededError') return 0;
    throw thrown;
  }
}
