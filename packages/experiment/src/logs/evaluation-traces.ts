/**
 * The traces of an evaluation. Each is on disk as soon as its episode has ended; the file in the order of the result is written at the end, a line at a
 * time, so that an evaluation of any length needs little memory.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  isThere,
  openJournal,
  readJournal,
  whileReading,
  whileWriting,
  withReader,
  type ByteRange,
  type Journal,
} from '@emac/files';
import { transcriptsIn } from '@emac/runs';
import { tracedPictures, type TracedPictures } from './traced-pictures.ts';

export interface EvaluationTraces {
  readonly pictures: TracedPictures;
  /** of an attempt that is over; a second one of a name replaces the first */
  add(name: string, trace: object): void;
  /** Writes those of these attempts, in this order; attempts without one are left out. */
  finish(names: readonly string[]): void;
  close(): void;
}

interface Line {
  readonly name: string;
  readonly trace: object;
}

/** `name`: of the file in the folder. Errors of its functions: `cannot-create`, `io`, `data`. */
export function evaluationTraces(folder: string, name: string): EvaluationTraces {
  const path = join(folder, name);
  const part = partOf(path);
  let places = new Map<string, ByteRange>();
  let journal: Journal | null = null;
  const opened = (): Journal => {
    if (journal) return journal;
    journal = openJournal(part);
    places = placesIn(part);
    return journal;
  };
  const close = () => {
    journal?.close();
    journal = null;
  };
  return {
    pictures: tracedPictures(transcriptsIn(folder)),
    add(attempt, trace) {
      const kept = opened();
      const offset = kept.length;
      kept.append({ name: attempt, trace } satisfies Line);
      kept.sync();
      places.set(attempt, { offset, length: kept.length - offset });
    },
    finish(names) {
      opened();
      close();
      const whole = openJournal(path, { keep: { length: 0 } });
      try {
        withReader(part, ({ read }) => {
          for (const attempt of names) {
            const place = places.get(attempt);
            if (place) whole.append((JSON.parse(Buffer.from(read(place)).toString('utf8')) as Line).trace);
          }
        });
        whole.sync();
      } finally {
        whole.close();
      }
      removeTracesUnderWay(path);
    },
    close,
  };
}

/** After a kill between the file's end and this. */
export function removeTracesUnderWay(path: string): void {
  whileWriting(partOf(path), () => rmSync(partOf(path), { force: true }));
}

const partOf = (path: string) => `${path}.part`;

/** Where each attempt's line is. */
function placesIn(path: string): Map<string, ByteRange> {
  const places = new Map<string, ByteRange>();
  if (!isThere(path)) return places;
  const bytes = whileReading(path, () => readFileSync(path));
  let offset = 0;
  for (const line of readJournal(path) as Line[]) {
    const end = bytes.indexOf(10, offset) + 1;
    places.set(line.name, { offset, length: end - offset });
    offset = end;
  }
  return places;
}
