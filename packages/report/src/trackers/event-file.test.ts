import { maskedCrc32c } from '@emac/files';
import { expect, it } from 'vitest';
import { eventRecord, firstRecord } from './event-file.ts';

/** The data of each record, after its checksums were checked. */
function dataOf(file: Uint8Array): Buffer[] {
  const bytes = Buffer.from(file);
  const records: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = Number(bytes.readBigUInt64LE(at));
    expect(bytes.readUInt32LE(at + 8)).toBe(maskedCrc32c(bytes.subarray(at, at + 8)));
    const data = bytes.subarray(at + 12, at + 12 + length);
    expect(bytes.readUInt32LE(at + 12 + length)).toBe(maskedCrc32c(data));
    records.push(data);
    at += 16 + length;
  }
  return records;
}

it('begins as TensorFlow’s files do', () => {
  // field 1, 64 bits: 2.0; field 3, 13 letters
  const [data] = dataOf(firstRecord(2));
  expect(data!.toString('hex')).toBe(
    '09' + '0000000000000040' + '1a0d' + Buffer.from('brain.Event:2').toString('hex'),
  );
});

it('holds a scalar at a step', () => {
  const [data] = dataOf(eventRecord({ time: 2, step: 300 }, [{ tag: 'a/b', scalar: 0.5 }]));
  // step 300 is ac 02; a value: tag of 3 letters, 32 bits of 0.5
  const value = '0a03' + Buffer.from('a/b').toString('hex') + '15' + '0000003f';
  expect(data!.toString('hex')).toBe('09' + '0000000000000040' + '10ac02' + '2a0c' + '0a0a' + value);
});

it('holds a text of any length', () => {
  const text = 'ü'.repeat(200);
  const [data] = dataOf(eventRecord({ time: 0, step: 0 }, [{ tag: 't', text }]));
  expect(data!.includes(Buffer.from(text))).toBe(true);
});
