import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';
import { createFolder, isFile, isFolder, isThere } from './index.ts';

const out = mkdtempSync(join(tmpdir(), 'emac-files-'));
afterAll(() => rmSync(out, { recursive: true }));

function faultOf(act: () => unknown): EmacError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown;
    throw thrown;
  }
  throw new Error('did not fail');
}

const built = new URL('../dist/index.js', import.meta.url);
const isBuilt = existsSync(built);

/** Runs a module; killed after a minute. */
function inAnotherProcess(script: string) {
  const words = ['--input-type=module', '-e', script];
  return spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
}

describe('createFolder', () => {
  it('creates every missing level, and accepts an existing folder', () => {
    createFolder(join(out, 'a/b/c'));
    createFolder(join(out, 'a/b'));
    expect(readdirSync(join(out, 'a/b'))).toEqual(['c']);
  });

  it('rejects a file in the place of the folder or of a parent', () => {
    writeFileSync(join(out, 'file'), '');
    for (const path of ['file', 'file/a', 'file/a/b'])
      expect(faultOf(() => createFolder(join(out, path))).code).toBe('cannot-create');
  });

  // Node's own call never returns for these paths
  it.skipIf(!isBuilt || !existsSync('/proc/self'))('returns at once where no folder can be created', () => {
    const script = `const { createFolder } = await import(${JSON.stringify(built.href)});
      for (const path of ['/proc/emac', '/proc/emac/a/b'])
        try { createFolder(path); } catch ({ code, exitCode, message }) { console.log([code, exitCode, message.includes(path)].join(' ')); }`;
    const { stdout, stderr, signal } = inAnotherProcess(script);
    expect([stdout, stderr, signal]).toEqual(['cannot-create 73 true\ncannot-create 73 true\n', '', null]);
  });
});

describe('the entry at a path', () => {
  it('is a file, a folder or nothing, through links too', () => {
    const [file, link, broken] = ['one', 'link', 'broken'].map((name) => join(out, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file, '');
    symlinkSync(file, link);
    symlinkSync(join(out, 'nothing'), broken);
    const kinds = [out, file, link, broken, join(file, 'below'), join(out, 'x'.repeat(5000))].map((path) => [
      isThere(path),
      isFolder(path),
      isFile(path),
    ]);
    const [folderKind, fileKind, absent] = [
      [true, true, false],
      [true, false, true],
      [false, false, false],
    ];
    expect(kinds).toEqual([folderKind, fileKind, fileKind, absent, absent, absent]);
  });

  const isRoot = process.getuid?.() === 0;
  const canTell = process.getuid !== undefined && isBuilt;

  it.skipIf(!canTell)(
    'is unknown below a folder without permission, and nothing can be created there',
    () => {
      const closed = join(out, 'closed');
      createFolder(join(closed, 'inner'));
      chmodSync(closed, 0o000);
      // root ignores permissions
      const nobody = isRoot ? 'process.setgroups([]); process.setgid(65534); process.setuid(65534);' : '';
      const script = `const { createFolder, isThere } = await import(${JSON.stringify(built.href)});
      ${nobody}
      const inner = ${JSON.stringify(join(closed, 'inner'))};
      for (const act of [() => isThere(inner), () => createFolder(inner + '/a')])
        try { console.log(String(act())); } catch ({ code, exitCode, message }) { console.log([code, exitCode, message.includes(inner)].join(' ')); }`;
      chmodSync(out, 0o755);
      const { stdout, stderr } = inAnotherProcess(script);
      chmodSync(closed, 0o755);
      expect([stdout, stderr]).toEqual(['auth 77 true\nauth 77 true\n', '']);
    },
  );
});
