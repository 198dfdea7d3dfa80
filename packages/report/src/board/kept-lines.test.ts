import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keptLines } from './kept-lines.ts';

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'metrics.jsonl');
  writeFileSync(path, text);
  return path;
}

it('reads what was appended alone, up to the last whole line', () => {
  const path = fileOf('{"a":1}\n{"a":2}\n');
  const lines = keptLines();
  const first = lines(path)[0];
  appendFileSync(path, '{"a":3}\n{"a":');
  expect(lines(path)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  // the very same object: the line was not read again
  expect(lines(path)[0]).toBe(first);
  appendFileSync(path, '4}\n');
  expect(lines(path).at(-1)).toEqual({ a: 4 });
});

it('reads a file anew that was cut, emptied or replaced', () => {
  const path = fileOf('{"a":1}\n{"a":2}\n');
  const lines = keptLines();
  expect(lines(path)).toHaveLength(2);
  truncateSync(path, 8);
  expect(lines(path)).toEqual([{ a: 1 }]);
  appendFileSync(path, '{"a":5}\n');
  expect(lines(path)).toEqual([{ a: 1 }, { a: 5 }]);
  truncateSync(path, 0);
  expect(lines(path)).toEqual([]);
});

it('forgets the files that were not asked for lately', () => {
  const lines = keptLines();
  const path = fileOf('{"a":1}\n');
  const [first] = lines(path);
  for (let other = 0; other < 8; other++) lines(fileOf('{}\n'));
  expect(lines(path)[0]).not.toBe(first);
});
