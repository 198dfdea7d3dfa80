/**
 * A buffer as records that are only ever appended: features when they first occur, then the transitions that
 * use them. Replaying every record in order, those of evicted transitions included, gives the buffer back.
 */
import { EmacError } from '@emac/core';
import type { Features } from '@emac/core';
import { float16ToFloat32, pack, unpack } from '@emac/files';
import type { ReplayBuffer } from './replay-buffer.ts';
import type { Transition } from './transition.ts';

/**
 * The records of transitions appended since `buffer.appended` was `since`; with 0, of everything held. Each
 * record is a complete packed message; equal buffers give equal bytes.
 */
export function* toRecords<T extends Transition>(buffer: ReplayBuffer<T>, since = 0): Generator<Uint8Array> {
  const oldest = buffer.appended - buffer.length;
  // transitions that came and went unrecorded may have taken features along that are used again
  const incomplete = since < oldest;
  const written = new Set<string>();
  for (let number = Math.max(since, oldest); number < buffer.appended; number++) {
    const transition = buffer.at(number - oldest);
    const key = transition.featuresKey;
    if (!written.has(key) && (incomplete || buffer.broughtBy(key) >= since))
      yield pack({ features: key, bits: buffer.features.bits(key) });
    written.add(key);
    yield pack({ transition: sortedFields(transition) });
  }
}

/** Appends recorded transitions to a buffer, usually an empty one. Errors: `data` with the record's number. */
export function fromRecords<T extends Transition>(
  buffer: ReplayBuffer<T>,
  records: Iterable<Uint8Array>,
): void {
  const known = new Map<string, Features>();
  let number = 0;
  for (const record of records) {
    const fail = (rule: string) => new EmacError('data', `buffer record ${number}: ${rule}`);
    const { features: key, bits, transition } = asObject(unpack(record)) ?? {};
    if (typeof key === 'string' && bits instanceof Uint16Array)
      known.set(key, { key, data: float16ToFloat32(bits) });
    else if (isTransition(transition)) replay(buffer, transition as T, { known, fail });
    else throw fail('is neither features nor a transition');
    number++;
  }
}

function replay<T extends Transition>(
  buffer: ReplayBuffer<T>,
  transition: T,
  { known, fail }: { known: Map<string, Features>; fail: (rule: string) => EmacError },
): void {
  const key = transition.featuresKey;
  const features = known.get(key) ?? (buffer.features.has(key) ? buffer.features.read(key) : undefined);
  if (!features) throw fail(`uses the features ${key}, which no earlier record holds`);
  buffer.append(transition, features);
  known.delete(key);
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
