/** Append-only files: truncation to a checkpoint, and the hash of their content. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openAppendFile, verifyPart } from './append-file.ts';
import { writeFileAtomic } from './atomic-file.ts';
import { failpoints, onFailpoint } from './failpoint.ts';
import { openRecordLog, readRecord, readRecords } from './record-log.ts';

let path = '';
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'emac-growing-'));
  path = join(folder, 'log.bin');
  onTestFinished(() => {
    onFailpoint(null);
    rmSync(folder, { recursive: true, force: true });
  });
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

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });

describe('a file that only grows', () => {
  it('knows length and hash of its content, also when reopened at an earlier length', () => {
    fc.assert(
      fc.property(pieces, pieces, (first, second) => {
        rmSync(path, { force: true });
        const file = openAppendFile(path, { length: 0 });
        for (const bytes of first) file.append(bytes);
        const part = { length: file.length, sha256: file.sha256() };
        expect(part).toEqual({ length: Buffer.concat(first).length, sha256: hashOf(Buffer.concat(first)) });
        file.append(Uint8Array.of(1, 2, 3));
        file.close();
        const again = openAppendFile(path, part);
        for (const bytes of second) again.append(bytes);
        again.sync();
        const whole = Buffer.concat([...first, ...second]);
        expect(readFileSync(path)).toEqual(whole);
        expect(again.sha256()).toBe(hashOf(whole));
        again.close();
      }),
      { numRuns: 40 },
    );
  });

  it('is rejected and left unchanged if its content does not match a checkpoint', () => {
    writeFileSync(path, 'abcdef');
    const sha256 = hashOf(Buffer.from('abcd'));
    verifyPart(path, { length: 4, sha256 });
    writeFileSync(path, 'abXdef');
    for (const action of [verifyPart, openAppendFile]) {
      const fault = faultOf(() => action(path, { length: 4, sha256 }));
      expect([fault.code, fault.message.includes(path)]).toEqual(['data', true]);
      expect(faultOf(() => action(path, { length: 7 })).message).toMatch(
        /7 bytes of the checkpoint, it has 6/,
      );
    }
    expect(readFileSync(path, 'utf8')).toBe('abXdef');
  });

  it('keeps its content when the disk is full', () => {
    const file = openAppendFile(path, { length: 0 });
    file.append(Uint8Array.of(1));
    onFailpoint(() => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    expect(faultOf(() => file.append(Uint8Array.of(2))).code).toBe('io');
    onFailpoint(null);
    file.append(Uint8Array.of(3));
    expect([...readFileSync(path)]).toEqual([1, 3]);
    expect(file.sha256()).toBe(hashOf(Uint8Array.of(1, 3)));
    file.close();
  });
});

describe('a log of records', () => {
  it('returns every record up to a length, and nothing torn', () => {
    fc.assert(
      fc.property(pieces, fc.uint8Array({ minLength: 1, maxLength: 9 }), (records, torn) => {
        rmSync(path, { force: true });
        const log = openRecordLog(path);
        for (const record of records) log.append(record);
        log.close();
        appendFileSync(path, torn);
        const found: Uint8Array[] = [];
        readRecords(path, log.length, (record) => found.push(record));
        expect(found).toEqual(records.map((record) => Uint8Array.from(record)));
      }),
      { numRuns: 40 },
    );
  });

  it('returns any one record by its place, and rejects other places', () => {
    rmSync(path, { force: true });
    const log = openRecordLog(path);
    const places = [Uint8Array.of(7), new Uint8Array(), Uint8Array.of(1, 2, 3)].map((record) => {
      const offset = log.length;
      log.append(record);
      return { offset, length: log.length - offset };
    });
    expect(places.map((place) => [...readRecord(path, place)])).toEqual([[7], [], [1, 2, 3]]);
    const found: unknown[] = [];
    readRecords(path, log.length, (_, place) => found.push(place));
    expect(found).toEqual(places);
    for (const place of [
      { offset: 5, length: 6 },
      { offset: 0, length: 3 },
      { offset: 9, length: 9 },
    ])
      expect(faultOf(() => readRecord(path, place)).code).toBe('data');
    log.close();
  });

  it('reports where a record is truncated', () => {
    // a record of 9 bytes, 2 of them present
    writeFileSync(path, Uint8Array.of(1, 0, 0, 0, 7, 9, 0, 0, 0, 1, 2));
    const fault = faultOf(() => readRecords(path, 11, () => {}));
    expect([fault.code, fault.message]).toEqual(['data', expect.stringContaining('byte 5')]);
    expect(faultOf(() => readRecords(path, 7, () => {})).message).toContain('byte 5');
  });
});

describe('failpoints', () => {
  it('have unique names, and reach only the registered listener', () => {
    expect(new Set(failpoints).size).toBe(failpoints.length);
    const heard: string[] = [];
    onFailpoint((name) => heard.push(name));
    writeFileAtomic(path, 'x');
    onFailpoint(null);
    writeFileAtomic(path, 'y');
    expect(heard).toEqual(['file-written', 'file-renamed']);
  });
});
