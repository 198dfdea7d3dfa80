/** Which tarballs somebody needs who wants a few of the packages: theirs, and those of every sibling below them. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { EmacError } from '@emac/core';
import { packageNames, root } from './root.ts';

const start = promisify(execFile);

/** The part of a `package.json` that says who is needed. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** One tarball, as `npm pack --json` tells of it. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** What a package of `packages/` declares. Errors: `usage` for a name that is not there. */
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

/** Runs `npm pack` for just these packages, as they were built last; `options` are npm's own. */
export async function pack(names: readonly string[], options: readonly string[]): Promise<Packed[]> {
  const workspaces = names.flatMap((name) => ['--workspace', `packages/${name}`]);
  const words = ['pack', '--json', '--ignore-scripts', ...workspaces, ...options];
  const { stdout } = await start('npm', words, { cwd: root, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as Packed[];
}
