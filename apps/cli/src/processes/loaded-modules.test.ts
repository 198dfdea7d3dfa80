/** Modules loaded by a call: help must come at once, so it loads nothing heavy. Needs the compiled command. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { isBuilt, program } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();

/** Every module that `emac <argv>` loads, by its URL or path. */
function loadedBy(argv: readonly string[]): string[] {
  const list = join(folder, 'loaded.txt');
  writeFileSync(list, '');
  const hooks = `import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); }`;
  const preload = join(folder, 'note-modules.cjs');
  // `require` bypasses module hooks
  writeFileSync(
    preload,
    `require('node:module').register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
     process.on('exit', () => require('node:fs').appendFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n') + '\\n'));`,
  );
  const { status } = spawnSync(process.execPath, ['--require', preload, program, ...argv]);
  expect(status).toBe(0);
  return readFileSync(list, 'utf8').trim().split('\n');
}

/** Packages of a list of modules. */
function packagesOf(modules: readonly string[]): string[] {
  const names = modules.flatMap((url) => {
    if (url.startsWith('node:') || url.startsWith(folder)) return [];
    const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
    const [, own] = /\/packages\/([^/]+)\//.exec(url) ?? [];
    return installed ?? (own && `@emac/${own}`) ?? [];
  });
  return [...new Set(names)].sort();
}

describe.skipIf(!isBuilt)('loaded modules (needs the build)', () => {
  it.each([[[]], [['--help']], [['--version']]])('for %j are this package and the errors of core', (argv) => {
    expect(packagesOf(loadedBy(argv))).toEqual(['@emac/core']);
  });

  it('are many for a page of settings, but include no native driver', () => {
    const names = packagesOf(loadedBy(['config', 'show', '--phase', 'bc']));
    expect(names).toEqual(expect.arrayContaining(['zod', 'yargs', '@emac/settings']));
    expect(names).not.toContain('onnxruntime-node');
  });
});
