/** The tarballs needed for some packages: theirs, and those of all their siblings. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { EmacError } from '@emac/core';
import { packageNames, root } from './root.ts';

const start = promisify(execFile);

/** The part of a `package.json` with the dependencies. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** One tarball, as reported by `npm pack --json`. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** A package's declarations. Errors: `usage` for an unknown name. */
export function manifestOf(name: string): Manifest {
  if (!packageNames().includes(name)) {
    throw new EmacError('usage', `pack: ${name} is no package, choose from ${packageNames().join(', ')}`);
  }
  return JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8')) as Manifest;
}

/** The packages and every sibling that they need, sorted, without the scope. */
export function withSiblings(names: readonly string[]): string[] {
  const needed = new Set<string>();
  const add = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const each of Object.keys(manifestOf(name).dependencies ?? {})) {
      if (each.startsWith('@emac/')) add(each.slice('@emac/'.length));
    }
  };
  names.forEach(add);
  return [...needed].sort();
}

/** Runs `npm pack` for these packages as last built; `options` are npm's own. */
export async function pack(names: readonly string[], options: readonly string[]): Promise<Packed[]> {
  return packFolders(
    names.map((name) => `packages/${name}`),
    options,
  );
}

/** The same for folders such as `apps/cli`. Output of deleted sources is removed first. */
export async function packFolders(folders: readonly string[], options: readonly string[]): Promise<Packed[]> {
  folders.forEach(removeStaleOutput);
  const workspaces = folders.flatMap((folder) => ['--workspace', folder]);
  const words = ['pack', '--json', '--ignore-scripts', ...workspaces, ...options];
  const { stdout } = await start('npm', words, { cwd: root, maxBuffer: 2 ** 26 });
  // a list; from npm 12 on an object with the packages' names as keys
  return Object.values(JSON.parse(stdout) as Readonly<Record<string, Packed>>);
}

/** Deletes output in `dist` of moved or deleted sources; `tsc` never does so itself. */
export function removeStaleOutput(folder: string): void {
  const dist = `${root}${folder}/dist`;
  if (!existsSync(dist)) return;
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const [output] = /\.(js|d\.ts|js\.map)$/.exec(file) ?? [];
    if (output === undefined) continue;
    const source = `${root}${folder}/src/${file.slice(0, -output.length)}`;
    if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(`${dist}/${file}`);
  }
}
