/**
 * A disk that may lose power: what of each file and folder is durable, and what still waits for an fsync. POSIX promises
 * the durable part alone. Of the rest a crash may keep anything: no write, all, some of their sectors, any of a folder's
 * names; a name may survive without its file's bytes.
 */
import { invariant, type Random } from '@emac/core';
import type { Change, Tree } from './changes.ts';
import { numbered } from './numbered-changes.ts';

const sector = 512;
const empty = new Uint8Array(0);

interface File {
  readonly isFolder: false;
  durable: Uint8Array;
  present: Uint8Array;
  /** since the last fsync */
  isWaiting: boolean;
  /** lengths that it had since the last fsync */
  lengths: number[];
}

interface Folder {
  readonly isFolder: true;
  durable: Map<string, number>;
  present: Map<string, number>;
}

/** A change of names that waits for the fsync of a folder. */
type Naming = Extract<Change, { kind: 'enter' | 'remove' | 'rename' }>;

/** What a crash kept of everything that waited. */
interface Kept {
  readonly names: (naming: Naming) => boolean;
  readonly bytes: (file: File) => Uint8Array;
}

export class Disk {
  readonly #nodes = new Map<number, File | Folder>([
    [0, { isFolder: true, durable: new Map(), present: new Map() }],
  ]);
  #waiting: Naming[] = [];

  /** A disk on which `start` is durable. */
  constructor(start: Tree = new Map()) {
    const nodes = numbered(start);
    const sorted = [...nodes].sort(([, one], [, other]) => one - other);
    for (const [path, node] of sorted) {
      const bytes = start.get(path) ?? null;
      this.#nodes.set(
        node,
        bytes === null
          ? { isFolder: true, durable: new Map(), present: new Map() }
          : { isFolder: false, durable: bytes, present: bytes, isWaiting: false, lengths: [] },
      );
      const end = path.lastIndexOf('/');
      const { durable, present } = this.#folder(end < 0 ? 0 : nodes.get(path.slice(0, end))!);
      for (const names of [durable, present]) names.set(path.slice(end + 1), node);
    }
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'write':
        return this.#written(change.file, change.offset, change.bytes);
      case 'cut':
        return this.#cut(change.file, change.length);
      case 'sync':
        return this.#synced(change.node);
      case 'enter':
        this.#nodes.set(
          change.node,
          change.isFolder
            ? { isFolder: true, durable: new Map(), present: new Map() }
            : { isFolder: false, durable: empty, present: empty, isWaiting: false, lengths: [] },
        );
    }
    named(change, (folder) => this.#folder(folder).present);
    this.#waiting.push(change);
  }

  /** All that was written, as after a kill of the process. */
  present(): Tree {
    return this.#tree(
      (folder) => folder.present,
      (file) => file.present,
    );
  }

  /** Images that a crash now may leave: the whole, the durable part alone, each waiting thing kept or lost alone, and `count` drawn ones. */
  *images(random: Random, count: number): Generator<Tree> {
    yield this.present();
    const files = [...this.#nodes.values()].filter((node): node is File => !node.isFolder && node.isWaiting);
    const waiting = this.#waiting;
    if (files.length + waiting.length === 0) return;
    const none: Kept = { names: () => false, bytes: (file) => file.durable };
    const all: Kept = { names: () => true, bytes: (file) => file.present };
    yield this.#image(none);
    for (const [place, naming] of waiting.entries()) {
      yield this.#image({ ...none, names: (each) => each === naming });
      yield this.#image({ ...all, names: (each) => each !== naming });
      yield this.#image({ ...none, names: (each) => waiting.indexOf(each) <= place });
      yield this.#image({ ...all, names: (each) => waiting.indexOf(each) <= place });
    }
    for (const file of files) {
      yield this.#image({ ...all, bytes: (each) => (each === file ? each.durable : each.present) });
      yield this.#image({ ...all, bytes: (each) => (each === file ? torn(each, random) : each.present) });
      yield this.#image({
        ...none,
        names: () => true,
        bytes: (each) => (each === file ? each.present : each.durable),
      });
    }
    for (let drawn = 0; drawn < count; drawn++) {
      const kept = new Map(waiting.map((naming) => [naming, random.uniform() < 0.5]));
      const bytes = new Map(
        files.map((file) => [file, random.pick([file.durable, file.present, torn(file, random)])]),
      );
      yield this.#image({
        names: (naming) => kept.get(naming)!,
        bytes: (file) => bytes.get(file) ?? file.durable,
      });
    }
  }

  #image(kept: Kept): Tree {
    const names = new Map<Folder, Map<string, number>>();
    const of = (folder: Folder) => {
      if (!names.has(folder)) names.set(folder, new Map(folder.durable));
      return names.get(folder)!;
    };
    for (const naming of this.#waiting) if (kept.names(naming)) named(naming, (id) => of(this.#folder(id)));
    return this.#tree((folder) => names.get(folder) ?? folder.durable, kept.bytes);
  }

  #tree(namesOf: (folder: Folder) => ReadonlyMap<string, number>, bytesOf: (file: File) => Uint8Array): Tree {
    const tree = new Map<string, Uint8Array | null>();
    const walk = (folder: Folder, path: string) => {
      for (const [name, id] of namesOf(folder)) {
        const node = this.#nodes.get(id)!;
        tree.set(path + name, node.isFolder ? null : bytesOf(node));
        if (node.isFolder) walk(node, `${path}${name}/`);
      }
    };
    walk(this.#folder(0), '');
    return tree;
  }

  #written(id: number, offset: number, bytes: Uint8Array): void {
    const file = this.#file(id);
    const present = new Uint8Array(Math.max(file.present.length, offset + bytes.length));
    present.set(file.present);
    present.set(bytes, offset);
    this.#changed(file, present);
  }

  #cut(id: number, length: number): void {
    const file = this.#file(id);
    const present = new Uint8Array(length);
    present.set(file.present.subarray(0, length));
    this.#changed(file, present);
  }

  #changed(file: File, present: Uint8Array): void {
    file.lengths.push(file.present.length);
    file.present = present;
    file.isWaiting = true;
  }

  #synced(id: number): void {
    const node = this.#nodes.get(id)!;
    if (!node.isFolder) {
      node.durable = node.present;
      node.isWaiting = false;
      node.lengths = [];
      return;
    }
    const isOf = (naming: Naming) => foldersOf(naming).includes(id);
    for (const naming of this.#waiting.filter(isOf)) named(naming, (folder) => this.#folder(folder).durable);
    this.#waiting = this.#waiting.filter((naming) => !isOf(naming));
  }

  #file(id: number): File {
    const node = this.#nodes.get(id);
    invariant(node && !node.isFolder, `disk: ${id} is no file`);
    return node;
  }

  #folder(id: number): Folder {
    const node = this.#nodes.get(id);
    invariant(node?.isFolder, `disk: ${id} is no folder`);
    return node;
  }
}

function foldersOf(naming: Naming): number[] {
  return naming.kind === 'rename' ? [naming.from.folder, naming.to.folder] : [naming.place.folder];
}

/** A lost creation does not keep a later rename from lasting: the rename names the file itself. */
function named(naming: Naming, names: (folder: number) => Map<string, number>): void {
  if (naming.kind === 'enter') names(naming.place.folder).set(naming.place.name, naming.node);
  else if (naming.kind === 'remove') names(naming.place.folder).delete(naming.place.name);
  else {
    const source = names(naming.from.folder);
    if (source.get(naming.from.name) === naming.node) source.delete(naming.from.name);
    names(naming.to.folder).set(naming.to.name, naming.node);
  }
}

/** Any of the lengths that it had, each sector as it was or as it is; a sector that was never written is zero. */
function torn(file: File, random: Random): Uint8Array {
  const { durable, present, lengths } = file;
  const possible = [durable.length, present.length, ...lengths];
  const length = random.pick(possible);
  const whole = Math.max(Math.min(...possible), Math.floor(length / sector) * sector);
  const bytes = new Uint8Array(random.uniform() < 0.3 ? whole : length);
  bytes.set(durable.subarray(0, bytes.length));
  for (let start = 0; start < bytes.length; start += sector)
    if (random.uniform() < 0.5)
      bytes.set(present.subarray(start, Math.min(start + sector, bytes.length)), start);
  return bytes;
}
