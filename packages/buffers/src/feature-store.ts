/**
 * Q-Former outputs, each distinct one once, as float16 bytes (32 × 768 values: 49 KB instead of 98). An entry
 * lives as long as something holds it. Features are rounded to float16 before they are first used, so reading
 * them back is exact.
 */
import { EmacError } from '@emac/core';
import type { Features } from '@emac/core';
import { float16ToFloat32, float32ToFloat16 } from '@emac/files';

interface Entry {
  readonly bits: Uint16Array;
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

  /** Holds the features once more; equal keys mean equal data, so a known key copies nothing. */
  hold(features: Features): void {
    const bits = this.#entries.get(features.key)?.bits ?? float32ToFloat16(features.data);
    this.holdBits(features.key, bits);
  }

  /** The same from stored bits. */
  holdBits(key: string, bits: Uint16Array): void {
    const entry = this.#entries.get(key);
    if (entry) entry.holders++;
    else this.#entries.set(key, { bits, holders: 1 });
  }

  /** Lets go once; what nothing holds is forgotten. */
  release(key: string): void {
    const entry = this.#entry(key);
    entry.holders--;
    if (entry.holders === 0) this.#entries.delete(key);
  }

  /** The features as float32, a fresh array. */
  read(key: string): Features {
    return { key, data: float16ToFloat32(this.#entry(key).bits) };
  }

  /** The stored float16 bits; not to be changed. */
  bits(key: string): Uint16Array {
    return this.#entry(key).bits;
  }

  #entry(key: string): Entry {
    const entry = this.#entries.get(key);
    if (!entry) throw new EmacError('internal', `FeatureStore: nothing is kept under the key ${key}`);
    return entry;
  }
}
