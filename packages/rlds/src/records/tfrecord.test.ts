import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maskedCrc32c } from '@emac/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTfRecords } from './tfrecord-read.ts';
import { createTfRecords } from './tfrecord-write.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tfrecord-'));
  path = join(folder, 'some.tfrecord');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(records: readonly Uint8Array[]): void {
  const file = createTfRecords(path);
  for (const data of records) file.write(data);
  file.close();
}

async function read(): Promise<{ data: string; offset: number }[]> {
  const records: { data: string; offset: number }[] = [];
  for await (const { data, offset } of readTfRecords(path))
    records.push({ data: Buffer.from(data).toString('hex'), offset });
  return records;
}

/** Pseudorandom bytes of a record, by its number. */
const bytes = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, at) => (Math.imul(at + 1, 2654435761) + seed * 97) >>> 13);

describe('a file of records', () => {
  it("has TensorFlow's framing", () => {
    // tf.io.TFRecordWriter of TensorFlow 2.15.1 with b'robot'
    write([Buffer.from('robot')]);
    expect(readFileSync(path, 'hex')).toBe('0500000000000000eab2043e726f626f74a266e026');
  });

  it('is read back record by record with its offsets, also if empty or larger than one read', async () => {
    const lengths = [0, 1, 300, 2 ** 20 - 200, 40, 3 * 2 ** 20 + 5, 0, 7, 2 ** 20];
    const records = lengths.map(bytes);
    write(records);
    const starts = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, length) => sum + length + 16, 0));
    expect(await read()).toEqual(
      records.map((data, at) => ({ data: Buffer.from(data).toString('hex'), offset: starts[at] })),
    );
  });

  it('may be empty', async () => {
    write([]);
    expect(await read()).toEqual([]);
  });

  it('does not overwrite another', () => {
    write([]);
    expect(() => createTfRecords(path)).toThrow(expect.objectContaining({ code: 'cannot-create' }));
  });

  it('that does not exist is missing', async () => {
    await expect(read()).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringContaining(path) as string,
    });
  });
});

describe('damage', () => {
  const first = 5;
  const second = 4;
  const length = 16 + first + 16 + second;

  beforeEach(() => write([bytes(first, 1), bytes(second, 2)]));

  it('of any bit is detected, and its record named', async () => {
    const whole = readFileSync(path);
    expect(whole).toHaveLength(length);
    for (let bit = 0; bit < 8 * length; bit++) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, damaged);
      const offset = bit >> 3 < 16 + first ? 0 : 16 + first;
      await expect(read(), `bit ${bit}`).rejects.toMatchObject({
        code: 'data',
        message: expect.stringContaining(`${path}: the record at byte ${offset}: `) as string,
      });
    }
  });

  it('by truncation anywhere but between records is detected', async () => {
    for (let left = length - 1; left > 0; left--) {
      truncateSync(path, left);
      if (left === 16 + first) continue;
      await expect(read(), `${left} bytes`).rejects.toMatchObject({
        code: 'data',
        message: expect.stringMatching(
          /the record at byte (0|21): must (begin with 12 bytes|have \d+ bytes) .* cut off/,
        ) as string,
      });
    }
  });

  it('does not affect earlier records', async () => {
    truncateSync(path, length - 1);
    const records: Uint8Array[] = [];
    await expect(
      (async () => {
        for await (const { data } of readTfRecords(path)) records.push(data);
      })(),
    ).rejects.toThrow();
    expect(records).toEqual([bytes(first, 1)]);
  });

  it('with an impossible length is not read', async () => {
    // 2⁴⁰ bytes, with a correct checksum
    const head = Buffer.from('0000000000010000', 'hex');
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(maskedCrc32c(head));
    writeFileSync(path, Buffer.concat([head, sum]));
    await expect(read()).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('ends after 0') as string,
    });
  });
});
