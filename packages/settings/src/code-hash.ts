/**
 * SHA-256 of the running code: names and contents of all program files of this package and the @emac packages it needs.
 * So a run's record identifies its code even if versions are equal.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmacError } from '@emac/core';
import { sha256, whileReading } from '@emac/files';

interface PackageFile {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

/** src while developing, dist once built */
const thisCode = dirname(fileURLToPath(import.meta.url));
/** hash of the loaded code, even if its files change while it runs */
let ownHash: string | undefined;

/** The package that makes runs and needs all others; if not installed, this package. */
function programCode(): string {
  const maker = found('@emac/experiment', dirname(thisCode));
  return maker === null ? thisCode : join(maker, basename(thisCode));
}

/**
 * The hash of the package in the folder `own` (default: the program's) and its dependencies, without tests, type
 * declarations and maps. Errors: `missing` for a package that is not installed.
 */
export function codeHash(own?: string): string {
  return own === undefined ? (ownHash ??= hashOf(programCode())) : hashOf(own);
}

function hashOf(own: string): string {
  const lines = packageFolders(dirname(own)).flatMap(({ name, folder }) =>
    codeFolders(folder, basename(own))
      .flatMap(programFiles)
      .map((path) => {
        const content = whileReading(path, () => readFileSync(path));
        return `${name} ${path.slice(folder.length)} ${sha256(content)}`;
      }),
  );
  return sha256(lines.sort().join('\n'));
}

/** The package in `folder` and all @emac packages that it needs, directly or not. */
function packageFolders(folder: string): { readonly name: string; readonly folder: string }[] {
  const found = new Map<string, string>();
  const visited = new Set<string>();
  const visit = (place: string): void => {
    if (visited.has(place)) return;
    visited.add(place);
    const { name, dependencies = {} } = readPackage(place);
    if (found.has(name)) return;
    found.set(name, place);
    for (const needed of Object.keys(dependencies))
      if (needed.startsWith('@emac/')) visit(installed(needed, place));
  };
  visit(folder);
  return [...found].map(([name, place]) => ({ name, folder: place }));
}

function readPackage(folder: string): PackageFile {
  const path = join(folder, 'package.json');
  return JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as PackageFile;
}

function installed(name: string, from: string): string {
  const folder = found(name, from);
  if (folder === null)
    throw new EmacError('missing', `${name}: is needed by ${from} but not installed; install it again`);
  return folder;
}

/** Folder of an installed package; null if not installed. */
function found(name: string, from: string): string | null {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const folders = places.map((place) => join(place, name));
  return folders.find((place) => existsSync(join(place, 'package.json'))) ?? null;
}

/** Folders of the compiled code, or its sources, and of other published code, such as a thread's. */
function codeFolders(folder: string, compiled: string): string[] {
  const { files = [] } = readPackage(folder);
  const beside = files.filter((name) => name !== 'dist' && !name.startsWith('!'));
  return [compiled, ...beside]
    .map((name) => join(folder, name))
    .filter((place) => existsSync(place) && statSync(place).isDirectory());
}

/** Node's own recursion asks the system for every file once more, which takes longer than reading the names. */
function programFiles(folder: string): string[] {
  return whileReading(folder, () => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return programFiles(path);
    return isProgram(entry.name) ? [path] : [];
  });
}

function isProgram(name: string): boolean {
  return /\.m?[jt]s$/.test(name) && !/\.(test\.|d\.ts$)/.test(name);
}
