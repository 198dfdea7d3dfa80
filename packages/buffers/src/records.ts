/**
 * A buffer as append-only records: features on first use, then the transitions that use them. Replaying every record in
 * order, including those of evicted transitions, restores the buffer.
 */
import { EmacError } from '@emac/core';
import { pack, unpack } from '@emac/files';
import { fieldsOf, isTransition } from './check-transition.ts';
import type { FeatureBits } from './feature-store.ts';
import { keysOf, type Keyed } from './keyed-transition.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import type { StoredRecord } from './stored-record.ts';
import type { Transition } from './transition.ts';

/** Format 1 had no format field; its prompt was one picture and one text. */
const format = 2;

/**
 * The records of transitions appended since `buffer.appended` was `since`; with 0, of all held ones. Each record is a
 * complete packed message; equal buffers give equal bytes.
 */
export function* toRecords<T extends Transition>(buffer: ReplayBuffer<T>, since = 0): Generator<Uint8Array> {
  for (const { bytes } of recordsOf(buffer, since)) yield bytes;
}

export interface BufferRecord {
  readonly bytes: Uint8Array;
  /** makes the buffer read the record's content from this stored record */
  readonly settle: (record: StoredRecord) => void;
}

/** The same, each with a function that frees the buffer's copy. */
export function* recordsOf<T extends Transition>(
  buffer: ReplayBuffer<T>,
  since: number,
): Generator<BufferRecord> {
  const { features } = buffer;
  const oldest = buffer.appended - buffer.length;
  // evicted unrecorded transitions may have held features that are used again
  const incomplete = since < oldest;
  const written = new Set<string>();
  for (let number = Math.max(since, oldest); number < buffer.appended; number++) {
    const transition = buffer.keyedAt(number - oldest);
    for (const key of keysOf(transition)) {
      if (!written.has(key) && (incomplete || buffer.broughtBy(key) >= since))
        yield {
          bytes: pack({ format, features: key, bits: features.bits(key) }),
          settle: (record) => features.settle(key, record),
        };
      written.add(key);
    }
    yield {
      bytes: pack({ format, transition }),
      settle: (record) => buffer.settle(number, record),
    };
  }
}

/**
 * Appends recorded transitions to a buffer, usually an empty one. Errors: `data` with the record's number, also for records
 * of an older version.
 */
export function fromRecords<T extends Transition>(
  buffer: ReplayBuffer<T>,
  records: Iterable<Uint8Array>,
): void {
  const replayRecord = recordReplay(buffer, 'fromRecords');
  for (const record of records) replayRecord(record);
}

/** The same, one record at a time; the buffer reads `stored` content from its file. `source` names the records in errors. */
export function recordReplay<T extends Transition>(
  buffer: ReplayBuffer<T>,
  source: string,
): (record: Uint8Array, stored?: StoredRecord) => void {
  const known = new Map<string, FeatureBits>();
  let number = 0;
  return (record, stored) => {
    const fail = (rule: string) => new EmacError('data', `${source}, record ${number}: ${rule}`);
    const fields = fieldsOf(unpack(record)) ?? {};
    const { features: key, bits, transition } = fields;
    const wrongFormat = formatFault(fields);
    if (wrongFormat !== null) throw fail(wrongFormat);
    if (typeof key === 'string' && bits instanceof Uint16Array) known.set(key, stored ?? bits);
    else if (isTransition(transition, buffer.kind)) {
      const keys = keysOf(transition);
      const unknown = keys.find((each) => !known.has(each) && !buffer.features.has(each));
      if (unknown !== undefined) throw fail(`uses the features ${unknown}, but no earlier record holds them`);
      const isKept = buffer.appendKeyed(transition as Keyed<T>, (each) => known.get(each)!);
      if (isKept && stored) buffer.settle(buffer.appended - 1, stored);
      if (isKept) for (const each of keys) known.delete(each);
    } else throw fail(`is neither features nor a transition for ${buffer.kind}`);
    number++;
  };
}

/** An error about a record's format; null if it is the current one. */
function formatFault(fields: Readonly<Record<string, unknown>>): string | null {
  if (fields['format'] === format) return null;
  if (fields['format'] !== undefined) return `must have format ${format}, it has ${String(fields['format'])}`;
  if (fields['features'] === undefined && fields['transition'] === undefined)
    return 'is neither features nor a transition';
  return `must have format ${format}, it has the format of an older version; that run can be evaluated but not resumed`;
}
