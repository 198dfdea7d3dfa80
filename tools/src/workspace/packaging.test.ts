/**
 * The packages as others get them: packed, installed in an empty folder outside the repository, run by plain node.
 * Also: every entry loads from `dist`, every package packs what it needs and no tests, and the README tells the truth.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readmeExamples, readmePackages } from './readme-examples.ts';
import { packageNames, root } from './root.ts';

const start = promisify(execFile);
const minutes = 60_000;
// npm and node start as processes, slowly where the machine is busy
vi.setConfig({ testTimeout: 3 * minutes });
let folder: string;

/** What a program prints; where it fails, what it printed is the error (tsc complains on standard output). */
async function run(
  program: string,
  words: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
) {
  try {
    return await start(program, words, options);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${words.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(`${root}packages/${name}/package.json`, 'utf8')) as Manifest;
}

/** The package and every `@emac` package it needs. */
function withDependencies(name: string): string[] {
  const needed = Object.keys(manifestOf(name).dependencies ?? {}).filter((each) => each.startsWith('@emac/'));
  return [...new Set([name, ...needed.flatMap((each) => withDependencies(each.slice('@emac/'.length)))])];
}

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function pack(names: readonly string[], options: readonly string[]): Promise<Packed[]> {
  const workspaces = names.flatMap((name) => ['--workspace', `packages/${name}`]);
  const npm = await run('npm', ['pack', '--json', '--ignore-scripts', ...workspaces, ...options], {
    cwd: root,
  });
  return JSON.parse(npm.stdout) as Packed[];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emac-packaging-'));
  // brings `dist` up to date; nothing to do right after `npm run check` has built it
  await run('npx', ['tsc', '-b', ...packageNames().map((name) => `packages/${name}`)], { cwd: root });
}, 10 * minutes);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('losses and world in an empty folder', () => {
  const names = ['losses', 'world'];

  beforeAll(async () => {
    const packed = await pack([...new Set(names.flatMap(withDependencies))], ['--pack-destination', folder]);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', [...install, ...packed.map(({ filename }) => `./${filename}`)], { cwd: folder });
  }, 3 * minutes);

  it('are copies, not links into the repository', () => {
    const installed = readdirSync(join(folder, 'node_modules/@emac'), { withFileTypes: true });
    expect(installed.map((entry) => [entry.name, entry.isSymbolicLink()])).toEqual([
      ['core', false],
      ['losses', false],
      ['world', false],
    ]);
  });

  it.each(names)(
    '%s runs the five lines of the README under plain node and prints what they say',
    async (name) => {
      const example = readmeExamples().find((each) => each.name === name);
      expect(example?.printed.length).toBeGreaterThan(0);
      writeFileSync(join(folder, `${name}.js`), example!.code);
      // the test runner may ask for colours; a person's `node file.js > out` has none
      const { FORCE_COLOR: _, ...env } = process.env;
      const node = await run(process.execPath, [`${name}.js`], { cwd: folder, env });
      expect(node.stdout.trimEnd().split('\n')).toEqual(example!.printed);
      expect(node.stderr).toBe('');
    },
  );
});

describe('every package', () => {
  it('packs its entry with types, and no tests, benchmarks or build notes', async () => {
    const packed = await pack(packageNames(), ['--dry-run']);
    expect(packed.map(({ name }) => name).sort()).toEqual(packageNames().map((name) => `@emac/${name}`));
    for (const { name, files } of packed) {
      const paths = files.map(({ path }) => path);
      expect(paths, name).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'README.md']));
      expect(
        paths.filter((path) => /\.test\.|\.bench\.|\.tsbuildinfo$|^src\//.test(path)),
        name,
      ).toEqual([]);
    }
  });

  it.each(packageNames())('%s loads from dist under plain node and prints nothing', async (name) => {
    const code = `const all = await import('@emac/${name}'); if (Object.keys(all).length === 0) process.exit(1);`;
    // from tools/, whose dependencies are all packages
    const node = await run(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: `${root}tools`,
    });
    expect(node.stdout + node.stderr).toBe('');
  });
});

describe('the README', () => {
  it('names every package and every app, each with its folder', () => {
    const listed = readmePackages();
    const packages = listed.filter(({ folder: path }) => path.startsWith('packages/'));
    expect(packages.map(({ name }) => name).sort()).toEqual(packageNames());
    for (const { name, folder: path } of packages) expect(path).toBe(`packages/${name}`);
    expect(listed.filter(({ folder: path }) => !existsSync(`${root}${path}`))).toEqual([]);
  });
});
