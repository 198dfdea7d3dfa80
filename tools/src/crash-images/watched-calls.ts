/**
 * Every call of node:fs that changes something below a folder, seen from outside the product: Node's own functions are
 * replaced, so that no code can write past the recording. For harnesses only.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';

/** One call, before it happens. */
export interface Call {
  readonly name: string;
  /** absolute; of the file behind a descriptor as well */
  readonly path: string;
}

/** What a call did. A file is known by its opening, unique among the openings of a thread. */
export type Event =
  | { readonly kind: 'opened'; readonly file: number; readonly path: string; readonly flags: string }
  | {
      readonly kind: 'wrote';
      readonly file: number;
      readonly bytes: Uint8Array;
      readonly position: number | null;
    }
  | { readonly kind: 'cut'; readonly file: number; readonly length: number }
  | { readonly kind: 'synced'; readonly file: number }
  | { readonly kind: 'made'; readonly path: string }
  | { readonly kind: 'renamed'; readonly from: string; readonly to: string }
  /** with all that was below it */
  | { readonly kind: 'removed'; readonly path: string };

export interface Watcher {
  /** may throw in the place of the call; a number is the most bytes that a write may write */
  readonly before?: (call: Call) => number | void;
  readonly after?: (event: Event) => void;
}

type Fs = typeof fs;
type Anything = (...values: never[]) => unknown;

/** ways to write that no command uses here: one that does must be taught to the recording first */
const unknown = ['appendFileSync', 'copyFileSync', 'cpSync', 'linkSync', 'symlinkSync', 'truncateSync'];
const unknownLater = ['open', 'writeFile', 'appendFile', 'rename', 'rm', 'mkdir', 'copyFile'];
const readers = ['readFileSync', 'readdirSync', 'statSync', 'lstatSync', 'realpathSync'] as const;

interface Watch {
  readonly real: Fs;
  /** by descriptor */
  readonly files: Map<number, { readonly file: number; readonly path: string }>;
  /** the whole path below the watched folder; null elsewhere */
  inside(path: unknown): string | null;
  before(name: string, path: string): number | void;
  after(event: Event): void;
  put(name: string, replacement: Anything): void;
}

/** Watches until the returned function is called. */
export function watchCalls(folder: string, watcher: Watcher): () => void {
  const root = resolve(folder);
  const [replaced, promises] = [new Map<string, unknown>(), { ...fs.promises }];
  const watch: Watch = {
    real: { ...fs },
    files: new Map(),
    inside(path) {
      if (typeof path !== 'string') return null;
      const whole = resolve(path);
      return whole === root || whole.startsWith(root + sep) ? whole : null;
    },
    before: (name, path) => watcher.before?.({ name, path }),
    after: (event) => watcher.after?.(event),
    put(name, replacement) {
      replaced.set(name, fs[name as keyof Fs]);
      Object.assign(fs, { [name]: replacement });
    },
  };
  watchContent(watch);
  watchDescriptors(watch);
  watchNames(watch);
  watchReaders(watch);
  refuseUnknown(watch);
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, Object.fromEntries(replaced));
    for (const name of unknownLater)
      Object.assign(fs.promises, { [name]: promises[name as keyof typeof promises] });
    syncBuiltinESMExports();
  };
}

function watchContent({ real, files, inside, before, after, put }: Watch): void {
  let openings = 0;
  const openSync = (path: fs.PathLike, flags: string | number = 'r', mode?: fs.Mode) => {
    const whole = inside(path);
    if (whole === null) return real.openSync(path, flags, mode);
    before('openSync', whole);
    const descriptor = real.openSync(path, flags, mode);
    files.set(descriptor, { file: openings, path: whole });
    after({ kind: 'opened', file: openings++, path: whole, flags: String(flags) });
    return descriptor;
  };
  const writeSync = (descriptor: number, data: Uint8Array | string, ...place: (number | undefined)[]) => {
    const open = files.get(descriptor);
    const [offset = 0, length, position = null] = place;
    if (!open) return real.writeSync(descriptor, data as Uint8Array, ...place);
    const end = length === undefined ? undefined : offset + length;
    const bytes = typeof data === 'string' ? Buffer.from(data) : data.subarray(offset, end);
    const most = before('writeSync', open.path) ?? bytes.length;
    const written = real.writeSync(descriptor, bytes, 0, Math.min(most, bytes.length), position);
    after({ kind: 'wrote', file: open.file, bytes: bytes.slice(0, written), position });
    return written;
  };
  put('openSync', openSync);
  put('writeSync', writeSync);
  put('writeFileSync', (path: string, data: Uint8Array | string, options?: fs.WriteFileOptions) => {
    if (inside(path) === null) return real.writeFileSync(path, data, options);
    const descriptor = openSync(path, (typeof options === 'object' && options?.flag) || 'w');
    try {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    } finally {
      fs.closeSync(descriptor);
    }
  });
}

function watchDescriptors({ real, files, before, after, put }: Watch): void {
  put('closeSync', (descriptor: number) => {
    files.delete(descriptor);
    real.closeSync(descriptor);
  });
  const watched = (
    name: 'fsyncSync' | 'fdatasyncSync' | 'ftruncateSync',
    event: (file: number, length: number) => Event,
  ) =>
    put(name, (descriptor: number, length = 0) => {
      const open = files.get(descriptor);
      if (open) before(name, open.path);
      real[name](descriptor, length as never);
      if (open) after(event(open.file, length));
    });
  watched('fsyncSync', (file) => ({ kind: 'synced', file }));
  watched('fdatasyncSync', (file) => ({ kind: 'synced', file }));
  watched('ftruncateSync', (file, length) => ({ kind: 'cut', file, length }));
}

function watchNames({ real, inside, before, after, put }: Watch): void {
  put('mkdirSync', (path: string, options?: fs.MakeDirectoryOptions) => {
    const whole = inside(path);
    if (whole === null) return real.mkdirSync(path, options);
    before('mkdirSync', whole);
    const isNew = !real.existsSync(whole);
    const made = real.mkdirSync(path, options);
    if (isNew) after({ kind: 'made', path: whole });
    return made;
  });
  put('renameSync', (from: string, to: string) => {
    const [source, target] = [inside(from), inside(to)];
    if (source !== null) before('renameSync', source);
    real.renameSync(from, to);
    if (source !== null && target !== null) after({ kind: 'renamed', from: source, to: target });
  });
  for (const name of ['rmSync', 'rmdirSync', 'unlinkSync'] as const)
    put(name, (path: string, options?: fs.RmOptions) => {
      const whole = inside(path);
      if (whole !== null && real.existsSync(whole)) before(name, whole);
      real[name](path, options as never);
      if (whole !== null) after({ kind: 'removed', path: whole });
    });
}

function watchReaders({ real, inside, before, put }: Watch): void {
  for (const name of readers) {
    const plain = real[name] as Anything;
    const watched = (path: never, ...rest: never[]) => {
      const whole = inside(path);
      if (whole !== null) before(name, whole);
      return plain(path, ...rest);
    };
    // realpathSync has its native form as a property
    put(name, Object.assign(watched, plain));
  }
}

function refuseUnknown({ real, inside, put }: Watch): void {
  const refuse =
    (name: string, from: Anything) =>
    (path: never, ...rest: never[]) => {
      if (inside(path) !== null)
        throw new Error(`${name} ${String(path)}: the recording does not know this call`);
      return from(path, ...rest);
    };
  for (const name of [...unknown, 'createWriteStream'])
    put(name, refuse(name, real[name as keyof Fs] as Anything));
  for (const name of unknownLater) {
    const plain = fs.promises[name as keyof typeof fs.promises] as Anything;
    Object.assign(fs.promises, { [name]: refuse(`promises.${name}`, plain) });
  }
}
