/**
 * Somebody else's project: an empty folder outside the repository, into which tarballs are installed by plain npm.
 * Third-party code comes in the versions of this repository's lock file, so that a new release elsewhere changes no result
 * and what `npm ci` has fetched is enough. Of `@emac` packages nothing is known but the tarballs.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from '@emac/files';
import { root } from './root.ts';

const start = promisify(execFile);

/** What a program printed on its two streams. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with which environment a program starts; `env` adds to what this process has. */
export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end; where it fails, what it printed is the error (tsc complains on standard output). */
export async function run(
  program: string,
  words: readonly string[],
  { cwd, env = {} }: Surroundings,
): Promise<Printed> {
  // the test runner may ask for colours; a person's `node file.js > out` has none
  const { FORCE_COLOR: _, ...inherited } = process.env;
  try {
    return await start(program, words, { cwd, env: { ...inherited, ...env }, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as Partial<Printed>;
    throw new Error(`${program} ${words.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

/** Makes the folder, a project without dependencies that takes its third-party code from the lock file. */
export function emptyProject(folder: string): void {
  createFolder(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(folder, 'package-lock.json'), thirdPartyLock());
}

/** Installs tarballs as a person does, with the flag that the README gives. */
export async function installTarballs(folder: string, tarballs: readonly string[]): Promise<void> {
  await run('npm', ['install', '--ignore-scripts', '--prefer-offline', ...tarballs], { cwd: folder });
}

function thirdPartyLock(): string {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    packages: Record<string, { readonly link?: boolean }>;
  };
  const kept = Object.entries(packages).filter(
    ([path, { link }]) => path.startsWith('node_modules/') && link !== true,
  );
  return JSON.stringify({
    lockfileVersion: 3,
    requires: true,
    packages: { '': {}, ...Object.fromEntries(kept) },
  });
}
