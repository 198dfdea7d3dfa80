import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readBytes, readText, refusePointer } from './read-file.ts';
import { openSafetensors } from './safetensors-read.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-read-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** as Git LFS writes it */
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;

describe('a Git LFS pointer in place of a file', () => {
  it.each([
    ['text', readText],
    ['bytes', readBytes],
    ['weights', openSafetensors],
    ['a check', refusePointer],
  ] as const)('is named when it is read as %s', (_, read) => {
    const path = file('model.safetensors', pointer);
    expect(() => read(path)).toThrow(
      `${path}: is a Git LFS pointer to 12345 bytes, not the file; fetch it (git lfs install, then git lfs pull in its clone)`,
    );
  });

  it('is not seen in a longer file, nor in other texts', () => {
    expect(readText(file('long', pointer + ' '.repeat(1024)))).toContain('git-lfs');
    expect(readText(file('quoted', `see ${pointer}`))).toBe(`see ${pointer}`);
    expect(readText(file('empty', ''))).toBe('');
    expect(() => refusePointer(file('one', 'v'))).not.toThrow();
  });
});

describe("a text's byte-order mark", () => {
  it('is dropped at its beginning alone', () => {
    expect(readText(file('marked', '\ufeff{"a": "\ufeff"}'))).toBe('{"a": "\ufeff"}');
    expect(readText(file('twice', '\ufeff\ufeff'))).toBe('\ufeff');
  });

  it('is a byte like others in a file that is no text', () => {
    expect([...readBytes(file('bytes', '\ufeffa'))]).toEqual([0xef, 0xbb, 0xbf, 0x61]);
  });
});
