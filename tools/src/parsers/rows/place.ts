/** Where rows of parsers keep their files: those read a path. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Place {
  readonly folder: string;
  /** A parser of files: it reads the input from a file of this name. */
  fromFile<T>(name: string, read: (path: string) => T): (input: Uint8Array) => T;
  /** The bytes of a file that is written at a path. */
  written(name: string, write: (path: string) => void): Uint8Array;
  dispose(): void;
}

export const packages = fileURLToPath(new URL('../../../../packages/', import.meta.url));

/** A new temporary folder. */
export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'parsers-'));
  return {
    folder,
    fromFile: (name, read) => (input) => {
      const path = join(folder, name);
      writeFileSync(path, input);
      return read(path);
    },
    written(name, write) {
      const path = join(folder, name);
      write(path);
      return readFileSync(path);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The files of a package's folder with this ending. */
export function files(folder: string, ending: string): Uint8Array[] {
  const place = join(packages, folder);
  return readdirSync(place)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => readFileSync(join(place, name)));
}

/** Values as JSON, a line each. */
export function lines(values: readonly object[]): Uint8Array {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}
