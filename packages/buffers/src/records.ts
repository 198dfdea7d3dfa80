/**
 * A buffer as records that are only ever appended: features when they first occur, then the transitions that
 * use them. Replaying every record in order, those of evicted transitions included, gives the buffer back.
 */
import { EmacError } from '@emac/core';
import { pack, unpack } from '@emac/files';
import type { FeatureBits } from './feature-store.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import type { StoredRecord } from './stored-record.ts';
import type { Transition } from './transition.ts';

/**
 * The records of transitions appended since `buffer.appended` was `since`; with 0, of everything held. Each
 * record is a complete packed message; equal buffers give equal bytes.
 */
export function* toRecords<T extends Transition>(buffer: ReplayBuffer<T>, since = 0): Generator<Uint8Array> {
  for (const { bytes } of recordsOf(buffer, since)) yield bytes;
}

export interface BufferRecord {
  readonly bytes: Uint8Array;
  /** lets the buffer read what the record holds from there */
  readonly settle: (record: StoredRecord) => void;
}

/** The same, each with the way to let go of what it holds. */
export function* recordsOf<T extends Transition>(
  buffer: ReplayBuffer<T>,
  since: number,
): Generator<BufferRecord> {
  const { features } = buffer;
  const oldest = buffer.appended - buffer.length;
  // transitions that came and went unrecorded may have taken features along that are used again
  const incomplete = since < oldest;
  const written = new Set<string>();
  for (let number = Math.max(since, oldest); number < buffer.appended; number++) {
    const transition = buffer.at(number - oldest);
    const key = transition.featuresKey;
    if (!written.has(key) && (incomplete || buffer.broughtBy(key) >= since))
      yield {
        bytes: pack({ features: key, bits: features.bits(key) }),
        settle: (record) => features.settle(key, record),
      };
    written.add(key);
    yield {
      bytes: pack({ transition: sortedFields(transition) }),
      settle: (record) => buffer.settle(number, record),
    };
  }
}

/** Appends recorded transitions to a buffer, usually an empty one. Errors: `data` with the record's number. */
export function fromRecords<T extends Transition>(
  buffer: ReplayBuffer<T>,
  records: Iterable<Uint8Array>,
): void {
  const replayRecord = recordReplay(buffer);
  for (const record of records) replayRecord(record);
}

/** The same, one record at a time; what is `stored` the buffer reads from there. */
export function recordReplay<T extends Transition>(
  buffer: ReplayBuffer<T>,
): (record: Uint8Array, stored?: StoredRecord) => void {
  const known = new Map<string, FeatureBits>();
  let number = 0;
  return (record, stored) => {
    const fail = (rule: string) => new EmacError('data', `buffer record ${number}: ${rule}`);
    const { features: key, bits, transition } = asObject(unpack(record)) ?? {};
    if (typeof key === 'string' && bits instanceof Uint16Array) known.set(key, stored ?? bits);
    else if (isTransition(transition)) {
      const { featuresKey } = transition;
      if (!known.has(featuresKey) && !buffer.features.has(featuresKey))
        throw fail(`uses the features ${featuresKey}, which no earlier record holds`);
      const isKept = buffer.appendBits(transition as T, known.get(featuresKey));
      if (isKept && stored) buffer.settle(buffer.appended - 1, stored);
      known.delete(featuresKey);
    } else throw fail('is neither features nor a transition');
    number++;
  };
}

function sortedFields(transition: Transition): object {
  const fields = Object.entries(transition).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function isTransition(value: unknown): value is Transition {
  const fields = asObject(value);
  if (!fields) return false;
  const isText = (name: string) => typeof fields[name] === 'string';
  const isCount = (name: string) => Number.isSafeInteger(fields[name]);
  return (
    ['gameId', 'text', 'featuresKey'].every(isText) &&
    ['round', 'episode', 'step'].every(isCount) &&
    (isText('target') || (isText('chosen') && isText('rejected')))
  );
}
