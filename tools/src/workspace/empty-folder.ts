/**
 * A stranger's project: an empty folder outside the repository, where plain npm installs tarballs. Third-party versions
 * come from this repository's lock file, so new releases change no result, and the packages fetched by `npm ci` are
 * enough. `@emac` packages come only from the tarballs.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from '@emac/files';
import { root } from './root.ts';

const start = promisify(execFile);

/** A program's output on its two streams. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** A program's folder and environment; `env` adds to this process's. */
export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end; a failure's output becomes the error (tsc complains on standard output). */
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
  // without a report on weaknesses, which needs the registry's answer
  const words = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs];
  await run('npm', words, { cwd: folder });
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
