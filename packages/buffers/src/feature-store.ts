/**
 * Q-Former outputs, each distinct one once, as float16 bytes (32 × 768 values: 49 KB instead of 98), in memory until they
 * are in a file. An entry lives as long as it has users. Features are rounded to float16 before their first use, so
 * reading them back is exact.
 */
import { EmacError } from '@emac/core';
import type { Features } from '@emac/core';
import { float16ToFloat32 } from '@emac/files';
import { StoredRecord } from './stored-record.ts';

/** float16 bits, or the record with the field `bits` */
export type FeatureBits = Uint16Array | StoredRecord;

interface Entry {
  bits: FeatureBits;
  holders: number;
}

export class FeatureStore {
  readonly #entries = new Map<string, Entry>();

  /** number of distinct features */
  get size(): number {
    return this.#entries.size;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Adds a user to a key's features; equal keys mean equal data, so `bitsOf` is called for unknown keys only. */
  hold(key: string, bitsOf: (key: string) => FeatureBits): void {
    const entry = this.#entries.get(key);
    if (entry) entry.holders++;
    else this.#entries.set(key, { bits: bitsOf(key), holders: 1 });
  }

  /** From now on the features are read from this record. */
  settle(key: string, record: StoredRecord): void {
    this.#entry(key).bits = record;
  }

  /** Removes one user; features without users are dropped. */
  release(key: string): void {
    const entry = this.#entry(key);
    entry.holders--;
    if (entry.holders === 0) this.#entries.delete(key);
  }

  /** The features as float32, a fresh array. */
  read(key: string): Features {
    return { key, data: float16ToFloat32(this.bits(key)) };
  }

  /** The stored float16 bits; do not modify. */
  bits(key: string): Uint16Array {
    const { bits } = this.#entry(key);
    if (!(bits instanceof StoredRecord)) return bits;
    const { features, bits: stored } = bits.read();
    if (features === key && stored instanceof Uint16Array) return stored;
    throw new EmacError(
      'data',
      `FeatureStore: the record of ${key} has changed on disk; its file was damaged`,
    );
  }

  #entry(key: string): Entry {
    const entry = this.#entries.get(key);
    if (!entry) throw new EmacError('internal', `FeatureStore: has no features under the key ${key}`);
    return entry;
  }
}
