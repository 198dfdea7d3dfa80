/** What a tracker reads of a run in progress: the numbers of `metrics.jsonl`, line by line. */
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, whileReading } from '@emac/files';
import { isMeasured, type MetricsLine } from '@emac/pages/data';
import { layout } from '@emac/runs';

/** The numbers of one line. */
export interface Measures {
  /** the line's update, else its count among lines of its kind, from 1 */
  readonly step: number;
  /** by tags such as `update/loss`; may be empty */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Reads what the run has written since the last call; a partial last line waits. Errors: `io`. */
export function followMeasures(run: string): () => Measures[] {
  const lines = newLines(join(run, layout.metrics));
  const counts = new Map<string, number>();
  return () =>
    lines().map((line) => {
      const count = (counts.get(line.kind) ?? 0) + 1;
      counts.set(line.kind, count);
      const step = typeof line['update'] === 'number' ? line['update'] : count;
      return { step, numbers: numbersOf(line) };
    });
}

function numbersOf(line: MetricsLine): Measures['numbers'] {
  const numbers = Object.entries(line).flatMap(([name, value]) =>
    isMeasured(name, value) ? [[`${line.kind}/${name}`, value] as const] : [],
  );
  return Object.fromEntries(numbers);
}

function newLines(path: string): () => MetricsLine[] {
  let read = 0;
  return () => {
    if (!isThere(path)) return [];
    const text = whileReading(path, () => {
      const file = openSync(path, 'r');
      try {
        const parts: Buffer[] = [];
        for (let at = read; ; at += parts.at(-1)!.length) {
          const part = Buffer.alloc(65_536);
          const length = readSync(file, part, 0, part.length, at);
          if (length === 0) return Buffer.concat(parts);
          parts.push(part.subarray(0, length));
        }
      } finally {
        closeSync(file);
      }
    });
    const whole = text.subarray(0, text.lastIndexOf(10) + 1);
    read += whole.length;
    return whole
      .toString('utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as MetricsLine);
  };
}
