import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDataset } from './offline-dataset.ts';
import { recordsAt, scanRecords } from './offline-records.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

const folder = temporaryFolder();
const texts = Array.from({ length: 3_000 }, (_, number) => `{"${'x}]{'.repeat(number % 40)}" ${number}`);
/** larger than what lies between two marks */
const large = 'y'.repeat(200_000);
const records = [...texts.slice(0, 1_000), large, ...texts.slice(1_000)].map((text) => ({ text }));

it.each([
  ['lines', records.map((record) => JSON.stringify(record)).join('\r\n')],
  ['a list', JSON.stringify(records, null, 2)],
])('finds each of its records again from a mark every 64 KiB: %s', (_, file) => {
  const path = join(folder, 'a.json');
  writeFileSync(path, file);
  const seen: unknown[] = [];
  const { count, marks } = scanRecords(path, (record) => seen.push(record));
  expect([count, seen]).toEqual([records.length, records]);
  // the file has about 520,000 bytes in four pieces before and after the large record
  expect(marks.length).toBeLessThan(12);
  expect(marks.map(({ record }) => record)).toContain(1_000);
  const bytes = readFileSync(path);
  const read = recordsAt(
    { path, read: ({ offset, length }) => Uint8Array.from(bytes.subarray(offset, offset + length)) },
    marks,
  );
  for (const number of [0, 2_999, 999, 1_000, 1_001, 3_000, 17, 18])
    expect(read(number)).toEqual(records[number]);
});

it('skips records and keeps the numbers of the others, over several files', () => {
  const line = (prompt: string, label: boolean) => JSON.stringify({ prompt, completion: 'c', label });
  const labels = [true, false, false, true, true, false, true, false];
  const lines = labels.map((label, number) => line(String(number), label));
  writeFileSync(join(folder, 'b1.jsonl'), lines.slice(0, 3).join('\n'));
  writeFileSync(join(folder, 'b2.jsonl'), lines.slice(3).join('\n'));
  const dataset = openDataset(join(folder, 'b*.jsonl'), { flag: '--data', images: null });
  const all = Array.from({ length: dataset.length }, (_, index) => index);
  expect(all.map((index) => dataset.number(index))).toEqual([0, 3, 4, 6]);
  expect(all.map((index) => dataset.record(index).text_input)).toEqual(['0', '3', '4', '6']);
  expect([dataset.badOnes, dataset.equalPairs, dataset.begins]).toEqual([4, 0, null]);
  dataset.close();
});

it('refuses a file that was cut while it is in use', () => {
  const path = join(folder, 'c.jsonl');
  writeFileSync(path, '{"text": "a"}\n{"text": "b"}');
  const dataset = openDataset(path, { flag: '--data', images: null });
  truncateSync(path, 20);
  expect(() => dataset.record(1)).toThrow(`${path}: was truncated while in use`);
  dataset.close();
});
