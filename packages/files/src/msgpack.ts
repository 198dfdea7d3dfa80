/**
 * The only MessagePack coder. With default options msgpackr writes a Float32Array as truncated values and stray bytes
 * of the heap; `moreTypes` stores the true bytes. Records are off, so equal values give equal bytes regardless of
 * earlier messages. `checkMessage` validates input before msgpackr sees it. Departure from MessagePack at large: string
 * keys, and only the extensions listed in `message-check.ts`.
 */
import { EmacError, messageOf } from '@emac/core';
import { Packr } from 'msgpackr';
import { checkMessage } from './message-check.ts';

const packr = new Packr({ moreTypes: true, useRecords: false, mapsAsObjects: true });

/**
 * Bytes of a value made of null, booleans, numbers, big integers, texts, lists, plain objects and typed arrays.
 * Lossless, and equal values with equally ordered keys give equal bytes; −0 becomes 0.
 */
export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}

/** The value of one packed message; malformed, oversized or unexpected input is `data`. */
export function unpack(bytes: Uint8Array): unknown {
  checkMessage(bytes);
  try {
    return packr.unpack(bytes);
  } catch (thrown) {
    throw new EmacError('data', `unpack: ${messageOf(thrown)}`, { cause: thrown });
  }
}
