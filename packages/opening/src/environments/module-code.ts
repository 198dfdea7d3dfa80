/** Finds the code that a name stands for (a file, a folder with a package.json, an installed package), and its hash. */
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isFile, isFolder, isThere, readText } from '@emac/files';
import { installedPackage } from '@emac/settings';
import { codeHashOf } from './imported-files.ts';
import { isRecord, refused } from './module-faults.ts';

export interface ModuleCode {
  /** as typed */
  readonly name: string;
  /** of its environment, in checkpoints and logs; without a folder of this machine */
  readonly id: string;
  /** the file that is imported */
  readonly entry: string;
  /** name of the export; null for the default */
  readonly exported: string | null;
  readonly sha256: string;
}

/** Runs nothing; faults name the `flag` that it was given with. Errors: `missing`; `data` for a package without code. */
export function moduleCode(name: string, flag = '--env'): ModuleCode {
  const found = installedPackage(name);
  const entry = found ? entryOf(name, found.folder) : isFolder(name) ? entryOf(name, name) : name;
  if (!isThere(entry)) throw new EmacError('missing', `${flag} ${name}: ${missing(name, entry)}`);
  if (!isFile(entry)) throw new EmacError('data', `${flag} ${name}: is not a file; give a JavaScript file`);
  return {
    name,
    id: found ? name : `./${basename(resolve(name))}`,
    entry,
    exported: found?.exported ?? null,
    sha256: codeHashOf(entry),
  };
}

function missing(name: string, entry: string): string {
  return entry === name ? 'does not exist' : `its package.json names ${entry}, which does not exist`;
}

/** The file that an import of the package runs. */
function entryOf(name: string, folder: string): string {
  const path = join(folder, 'package.json');
  if (!isFile(path)) throw refused(name, 'is a folder without package.json; give a JavaScript file');
  const text = readText(path);
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (thrown) {
    throw new EmacError('data', `${path}: is no JSON; mend it`, { cause: thrown });
  }
  const { exports, main } = isRecord(manifest) ? manifest : {};
  const own = isRecord(exports) && '.' in exports ? exports['.'] : exports;
  return join(folder, chosen(own) ?? (typeof main === 'string' ? main : 'index.js'));
}

/** The file among the conditions of an export, first match first, as Node has it. */
function chosen(target: unknown): string | null {
  if (typeof target === 'string') return target;
  if (!isRecord(target)) return null;
  for (const [condition, inner] of Object.entries(target)) {
    const file = ['node', 'import', 'default'].includes(condition) ? chosen(inner) : null;
    if (file !== null) return file;
  }
  return null;
}
