import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { EmacError } from '@emac/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeFileAtomic } from './atomic-file.ts';
import { removeTemporary, verifyFolder, writeFolderAtomic } from './atomic-folder.ts';
import { openJournal, readJournal } from './journal.ts';
import { manifestName, manifestText, withoutFiles } from './manifest.ts';
import { temporaryBeside } from './write-file.ts';

let folder = '';
beforeEach(() => {
  const created = mkdtempSync(join(tmpdir(), 'emac-durable-'));
  folder = created;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
});

function faultOf(action: () => unknown): EmacError {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof EmacError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

/** Runs `action` while the system limits every file to `bytes`: the closest simulation of a full disk. */
function withFileLimit<T>(bytes: number, action: () => T): T {
  const limit = (value: number | string) =>
    spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${value}:`]).status;
  expect(limit(bytes)).toBe(0);
  try {
    return action();
  } finally {
    limit('unlimited');
  }
}
const canLimit = spawnSync('prlimit', ['--version']).status === 0;

describe('a file written atomically', () => {
  it('replaces the old one and leaves nothing beside it', () => {
    const path = join(folder, 'latest');
    writeFileAtomic(path, 'one');
    writeFileAtomic(path, Uint8Array.of(0x32));
    expect(readFileSync(path, 'utf8')).toBe('2');
    expect(readdirSync(folder)).toEqual(['latest']);
  });

  it('uses a temporary name that no other process uses, on any machine and with any id', async () => {
    const written: string[] = [];
    const one = await import('./write-file.ts');
    vi.resetModules();
    // the same process id, as two containers have it
    const other = await import('./write-file.ts');
    for (const { temporaryBeside } of [one, other]) {
      const free = temporaryBeside(join(folder, 'eval.json'));
      expect(basename(free)).toMatch(new RegExp(`^\\.tmp-eval\\.json-${process.pid}-[0-9a-f]{12}-`));
      written.push(/-([0-9a-f]{12})-/.exec(free)![1]!);
    }
    expect(written[0]).not.toBe(written[1]);
  });

  it('skips leftovers of a killed process with the same name', () => {
    const path = join(folder, 'eval.json');
    const [next, count] = /^(.*-)(\d+)$/.exec(temporaryBeside(path))!.slice(1) as [string, string];
    for (let more = 1; more < 100; more++) writeFileSync(`${next}${Number(count) + more}`, 'half');
    writeFileAtomic(path, 'whole');
    expect(readFileSync(path, 'utf8')).toBe('whole');
  });

  it('names the path that cannot be created', () => {
    const fault = faultOf(() => writeFileAtomic(join(folder, 'absent/latest'), 'x'));
    expect([fault.code, fault.exitCode]).toEqual(['cannot-create', 73]);
    expect(fault.message).toContain('absent/latest');
  });

  it.skipIf(!canLimit)('keeps the old one when writing fails, with the code io', () => {
    const path = join(folder, 'state');
    writeFileAtomic(path, 'old');
    const fault = withFileLimit(4096, () => faultOf(() => writeFileAtomic(path, new Uint8Array(10_000))));
    expect([fault.code, fault.exitCode]).toEqual(['io', 74]);
    expect(fault.message).toContain(path);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['state']);
  });
});

describe('a folder written atomically', () => {
  const files = new Map([
    ['a.bin', Uint8Array.of(1, 2, 3)],
    ['b.json', new TextEncoder().encode('{"x":1}')],
  ]);

  it('holds its files and a manifest with sizes, hashes and the fields of the caller', () => {
    const path = join(folder, '00000010');
    const written = writeFolderAtomic(path, files, { games: ['g1'] });
    expect(verifyFolder(path)).toEqual(written);
    // sha256sum of the bytes 01 02 03
    expect(written.files['a.bin']).toEqual({
      size: 3,
      sha256: '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81',
    });
    expect(written.games).toEqual(['g1']);
    expect(readdirSync(folder)).toEqual(['00000010']);
    expect(readdirSync(path).sort()).toEqual(['MANIFEST.json', 'a.bin', 'b.json']);
  });

  it('has equal bytes for equal content, in any order of files and fields', () => {
    writeFolderAtomic(join(folder, 'x'), files, { a: 1, b: { c: 2, d: 3 } });
    writeFolderAtomic(join(folder, 'y'), new Map([...files].reverse()), { b: { d: 3, c: 2 }, a: 1 });
    const manifest = (name: string) => readFileSync(join(folder, name, 'MANIFEST.json'), 'utf8');
    expect(manifest('x')).toBe(manifest('y'));
  });

  it('is valid without a file left out of its manifest, and invalid without a listed one', () => {
    const path = join(folder, 'less');
    const content = new Map([
      ['a.bin', new Uint8Array([1])],
      ['b.bin', new Uint8Array([2])],
    ]);
    const all = writeFolderAtomic(path, content, { of: 'tests' });
    rmSync(join(path, 'b.bin'));
    expect(faultOf(() => verifyFolder(path)).message).toMatch(/not complete/);
    writeFileSync(join(path, manifestName), manifestText(withoutFiles(all, ['b.bin', 'c.bin'])));
    expect(verifyFolder(path)).toMatchObject({ v: 1, of: 'tests', files: { 'a.bin': { size: 1 } } });
    writeFileSync(join(path, manifestName), manifestText(withoutFiles(all, ['a.bin'])));
    expect(faultOf(() => verifyFolder(path)).message).toMatch(/not complete/);
  });

  it('never overwrites another', () => {
    const path = join(folder, 'once');
    writeFolderAtomic(path, files);
    expect(faultOf(() => writeFolderAtomic(path, new Map())).code).toBe('cannot-create');
    expect(Object.keys(verifyFolder(path).files)).toEqual(['a.bin', 'b.json']);
    expect(readdirSync(folder)).toEqual(['once']);
  });

  it('takes plain file names only', () => {
    for (const name of ['../up', 'a/b', '', '..', 'MANIFEST.json'])
      expect(
        faultOf(() => writeFolderAtomic(join(folder, 'n'), new Map([[name, Uint8Array.of(1)]]))).code,
      ).toBe('internal');
  });

  it.skipIf(!canLimit)('does not appear if one of its files fails', () => {
    const large = new Map([...files, ['c.bin', new Uint8Array(100_000)]]);
    const fault = withFileLimit(4096, () => faultOf(() => writeFolderAtomic(join(folder, 'big'), large)));
    expect([fault.code, fault.message.includes(join(folder, 'big'))]).toEqual(['io', true]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is detected as damaged after any flipped bit or truncation', () => {
    const good = join(folder, 'good');
    writeFolderAtomic(good, files, { identity: 'abc' });
    const bad = join(folder, 'bad');
    const name = fc.constantFrom('a.bin', 'b.json', 'MANIFEST.json');
    fc.assert(
      fc.property(
        name,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.integer({ min: -1, max: 7 }),
        (file, where, bit) => {
          rmSync(bad, { recursive: true, force: true });
          cpSync(good, bad, { recursive: true });
          const bytes = readFileSync(join(bad, file));
          const at = Math.floor(where * bytes.byteLength);
          if (bit >= 0) bytes[at]! ^= 1 << bit;
          writeFileSync(join(bad, file), bit >= 0 ? bytes : bytes.subarray(0, at));
          const fault = faultOf(() => verifyFolder(bad));
          expect(fault.code).toBe('data');
          expect(fault.message).toContain(
            join(bad, bit < 0 || file !== 'MANIFEST.json' ? file : 'MANIFEST.json'),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is detected as damaged when files are swapped or absent, or a key of the manifest is repeated', () => {
    const path = join(folder, 'c');
    writeFolderAtomic(
      path,
      new Map([
        ['a', Uint8Array.of(1)],
        ['b', Uint8Array.of(2)],
      ]),
    );
    renameSync(join(path, 'a'), join(path, 't'));
    expect(faultOf(() => verifyFolder(path)).message).toMatch(/c\/a: does not exist/);
    renameSync(join(path, 'b'), join(path, 'a'));
    renameSync(join(path, 't'), join(path, 'b'));
    expect(faultOf(() => verifyFolder(path)).message).toMatch(/c\/a: does not match the SHA-256/);
    renameSync(join(path, 'a'), join(path, 't'));
    renameSync(join(path, 'b'), join(path, 'a'));
    renameSync(join(path, 't'), join(path, 'b'));
    verifyFolder(path);
    const manifest = readFileSync(join(path, 'MANIFEST.json'), 'utf8');
    writeFileSync(join(path, 'MANIFEST.json'), manifest.replace('"v": 1', '"v": 2,\n  "v": 1'));
    expect(faultOf(() => verifyFolder(path)).message).toMatch(/damaged or edited/);
    rmSync(join(path, 'MANIFEST.json'));
    expect(faultOf(() => verifyFolder(path)).message).toMatch(/not complete/);
    expect(faultOf(() => verifyFolder(join(folder, 'absent'))).code).toBe('missing');
  });

  it("removes a killed writer's leftovers, and nothing else", () => {
    mkdirSync(join(folder, '.tmp-00000010-1-0'));
    writeFileSync(join(folder, '.tmp-latest-1-1'), 'x');
    writeFileSync(join(folder, 'latest'), '00000010');
    removeTemporary(folder);
    expect(readdirSync(folder)).toEqual(['latest']);
  });
});

describe('a journal', () => {
  it('keeps lines in order, with sorted keys, and knows its length', () => {
    const path = join(folder, 'metrics.jsonl');
    const journal = openJournal(path);
    journal.append({ v: 1, loss: 0.5 });
    journal.append({ text: 'two\nlines' });
    journal.sync();
    const text = '{"loss":0.5,"v":1}\n{"text":"two\\nlines"}\n';
    expect([readFileSync(path, 'utf8'), journal.length]).toEqual([text, text.length]);
    journal.close();
    expect(readJournal(path)).toEqual([{ v: 1, loss: 0.5 }, { text: 'two\nlines' }]);
  });

  it('counts no line at its end that has lost a sector, and refuses one before a whole line', () => {
    const torn = `{"b":"${'x'.repeat(20)}\0\0\0"}\n`;
    const path = join(folder, 'torn.jsonl');
    writeFileSync(path, `{"a":1}\n${torn}\0\0"}\n`);
    expect(readJournal(path)).toEqual([{ a: 1 }]);
    openJournal(path).close();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n');
    writeFileSync(path, `{"a":1}\n${torn}{"c":3}\n`);
    expect(faultOf(() => readJournal(path)).message).toContain(`${path}, line 2: is not JSON`);
  });

  it('drops a partial last line, when read and before appending', () => {
    const path = join(folder, 'llm.jsonl');
    writeFileSync(path, '{"a":1}\n{"b":');
    expect(readJournal(path)).toEqual([{ a: 1 }]);
    const journal = openJournal(path);
    journal.append({ c: 3 });
    journal.close();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n{"c":3}\n');
  });

  it("goes back to a checkpoint's length, if a line ends there", () => {
    const path = join(folder, 'metrics.jsonl');
    writeFileSync(path, '{"a":1}\n{"b":2}\n{"c":');
    expect(faultOf(() => openJournal(path, { keep: { length: 9 } })).code).toBe('data');
    expect(faultOf(() => openJournal(path, { keep: { length: 900 } })).code).toBe('data');
    expect(faultOf(() => openJournal(join(folder, 'absent.jsonl'), { keep: { length: 8 } })).code).toBe(
      'data',
    );
    openJournal(path, { keep: { length: 8 } }).close();
    expect(readFileSync(path, 'utf8')).toBe('{"a":1}\n');
    openJournal(path, { keep: { length: 0 } }).close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('names the damaged line', () => {
    const path = join(folder, 'events.jsonl');
    writeFileSync(path, '{"a":1}\n{"b"\n{"c":3}\n');
    expect(faultOf(() => readJournal(path)).message).toContain('events.jsonl, line 2');
    expect(faultOf(() => readJournal(join(folder, 'absent'))).code).toBe('missing');
  });

  it('rejects values that JSON cannot carry, before a byte is written', () => {
    const path = join(folder, 'metrics.jsonl');
    const journal = openJournal(path);
    for (const value of [NaN, Infinity, new Float32Array(1), 1n, new Map(), () => 1])
      expect(faultOf(() => journal.append({ nested: [{ value }] })).message).toContain('$.nested[0].value');
    journal.close();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it.skipIf(!canLimit)('keeps its earlier lines when the disk is full, and continues when it is not', () => {
    const path = join(folder, 'llm.jsonl');
    const journal = openJournal(path);
    journal.append({ first: 1 });
    const fault = withFileLimit(4096, () => faultOf(() => journal.append({ text: 'x'.repeat(9000) })));
    expect([fault.code, fault.message.includes(path)]).toEqual(['io', true]);
    journal.append({ second: 2 });
    journal.close();
    expect(readJournal(path)).toEqual([{ first: 1 }, { second: 2 }]);
  });

  it.skipIf(process.platform !== 'linux')('names the path when the system says ENOSPC', () => {
    const journal = openJournal('/dev/full');
    const fault = faultOf(() => journal.append({ a: 1 }));
    journal.close();
    expect([fault.code, fault.exitCode]).toEqual(['io', 74]);
    expect(fault.message).toMatch(/cannot write \/dev\/full: ENOSPC.*free some space/);
  });
});
