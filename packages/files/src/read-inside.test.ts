import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { afterAll, describe, expect, it } from 'vitest';
import { isFolder, readBytes, readInside, readText, withReader } from './index.ts';

const parent = mkdtempSync(join(tmpdir(), 'inside-'));
afterAll(() => rmSync(parent, { recursive: true }));

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown.code;
  }
  return 'read';
}

describe('a received folder', () => {
  const folder = join(parent, 'run');
  mkdirSync(join(folder, 'frames'), { recursive: true });
  writeFileSync(join(parent, 'secret'), 'secret');
  writeFileSync(join(folder, 'own'), 'own');
  symlinkSync('../own', join(folder, 'frames', 'within'));
  symlinkSync('../../secret', join(folder, 'frames', 'beyond'));
  symlinkSync('/dev/zero', join(folder, 'frames', 'endless'));
  symlinkSync(parent, join(folder, 'above'));
  symlinkSync(folder, join(parent, 'link'));

  it.each([
    ['own', 'read'],
    ['frames/within', 'read'],
    ['frames/beyond', 'data'],
    ['frames/endless', 'data'],
    ['above/secret', 'data'],
    ['../secret', 'data'],
    ['frames', 'data'],
    ['none', 'missing'],
  ])('gives %s: %s', (name, code) => {
    expect(codeOf(() => readInside(folder, name))).toBe(code);
    expect(codeOf(() => readInside(join(parent, 'link'), name))).toBe(code);
  });
});

it('leaves the errors of what is done while a file is open in their own words', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  writeFileSync(join(parent, 'source'), 'bytes');
  expect(() =>
    withReader(join(parent, 'source'), () => {
      throw full;
    }),
  ).toThrow(full);
});

describe('a pipe in place of a file', () => {
  const pipe = join(parent, 'pipe');
  execFileSync('mkfifo', [pipe]);

  it.each<[string, (path: string) => unknown]>([
    ['readText', readText],
    ['readBytes', readBytes],
    ['withReader', (path) => withReader(path, () => null)],
  ])('is refused by %s, which would wait for ever', (_, read) => {
    expect(() => read(pipe)).toThrow(`cannot read ${pipe}: it is no ordinary file`);
    expect(codeOf(() => read(pipe))).toBe('data');
  });

  it('is no folder, and that may be asked', () => expect(isFolder(pipe)).toBe(false));

  it('may be read where a shell put it', () => {
    const script = `const { readText } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
      process.stdout.write(readText(process.argv[1]))`;
    const found = execFileSync(
      'bash',
      ['-c', `"$0" --input-type=module -e "$1" <(echo piped)`, process.execPath, script],
      { encoding: 'utf8' },
    );
    expect(found).toBe('piped\n');
  });
});
