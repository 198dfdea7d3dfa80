/**
 * numpy's `default_rng(seed)`: `Generator(PCG64(SeedSequence(seed)))`, draw for draw as in numpy 1.17 to 2.4 for single
 * values. Not supported: arrays of draws, distributions other than the uniform, and seeds of several numbers.
 */
import { EmacError } from '@emac/core';
import { Pcg64 } from './pcg64.ts';
import { seedWords } from './seed-sequence.ts';

/** numpy's `Generator.bit_generator.state`, as plain data. */
export interface NumpyRandomState {
  /** below 2¹²⁸, in decimal */
  readonly state: string;
  /** odd and below 2¹²⁸, in decimal */
  readonly increment: string;
  /** the upper half of a 64-bit draw, kept for the next 32-bit draw; null if none is kept */
  readonly kept: number | null;
}

const two32 = 2 ** 32;

export class NumpyRandom {
  readonly #bits: Pcg64;
  #kept: number | null;

  private constructor(bits: Pcg64, kept: number | null) {
    this.#bits = bits;
    this.#kept = kept;
  }

  /** `default_rng(seed)`, for non-negative integers of any size. Errors: `usage` for another seed. */
  static fromSeed(seed: number | bigint): NumpyRandom {
    if (typeof seed === 'number' ? !Number.isSafeInteger(seed) || seed < 0 : seed < 0n)
      throw new EmacError(
        'usage',
        `NumpyRandom: a seed is a whole number from 0, got ${seed}; give one above 2⁵³ as a bigint`,
      );
    return new NumpyRandom(Pcg64.fromWords(seedWords(BigInt(seed), 8)), null);
  }

  /** A generator that continues from a saved `state()`. Errors: `data` for an invalid state. */
  static restore({ state, increment, kept }: NumpyRandomState): NumpyRandom {
    const isNumber = (text: string) => /^\d{1,39}$/.test(text) && BigInt(text) < 1n << 128n;
    const isKept = kept === null || (Number.isInteger(kept) && kept >= 0 && kept < two32);
    if (!isNumber(state) || !isNumber(increment) || BigInt(increment) % 2n !== 1n || !isKept)
      throw new EmacError(
        'data',
        `NumpyRandom.restore: needs a state and an odd increment below 2¹²⁸ in decimal, and 32 bits or null, got ${state}, ${increment}, ${kept}`,
      );
    return new NumpyRandom(new Pcg64(BigInt(state), BigInt(increment)), kept);
  }

  state(): NumpyRandomState {
    const { state, increment } = this.#bits;
    return { state: String(state), increment: String(increment), kept: this.#kept };
  }

  /** 64 bits. Does not use a kept half. */
  uint64(): bigint {
    this.#bits.next();
    return (BigInt(this.#bits.high) << 32n) | BigInt(this.#bits.low);
  }

  /** 32 bits: the lower half of a 64-bit draw, then its upper half. */
  uint32(): number {
    if (this.#kept !== null) {
      const kept = this.#kept;
      this.#kept = null;
      return kept;
    }
    this.#bits.next();
    this.#kept = this.#bits.high;
    return this.#bits.low;
  }

  /** Uniform in [0, 1), 53 bits. */
  random(): number {
    this.#bits.next();
    return (this.#bits.high * 2 ** 21 + (this.#bits.low >>> 11)) * 2 ** -53;
  }

  /** Uniform over the integers from `low` to below `high`. Errors: `internal` for an empty range. */
  integers(low: number, high: number): number {
    const count = high - low;
    if (!(
      count > 0 &&
      Number.isSafeInteger(low) &&
      Number.isSafeInteger(high) &&
      Number.isSafeInteger(count)
    ))
      throw new EmacError(
        'internal',
        `NumpyRandom.integers: needs whole numbers low < high, got ${low}, ${high}`,
      );
    if (count === 1) return low;
    if (count === two32) return low + this.uint32();
    if (count > two32) return low + Number(this.#wide(BigInt(count)));
    return low + this.#narrow(count);
  }

  /** One element, uniformly. Errors: `internal` for an empty list. */
  choice<T>(items: readonly T[]): T {
    return items[this.integers(0, items.length)]!;
  }

  /** A shuffled copy, in the order that `Generator.shuffle` gives. */
  shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let last = copy.length - 1; last > 0; last--) {
      const other = this.#masked(last);
      [copy[last], copy[other]] = [copy[other]!, copy[last]!];
    }
    return copy;
  }

  /** From 0 to `last` < 2³², as numpy draws in a shuffle: only the lowest bits, redrawn while too large. */
  #masked(last: number): number {
    const mask = 0xffffffff >>> Math.clz32(last);
    let drawn = (this.uint32() & mask) >>> 0;
    while (drawn > last) drawn = (this.uint32() & mask) >>> 0;
    return drawn;
  }

  /** Below `count` < 2³², by Lemire's method (arXiv 1805.10941): the upper half of a product; some lower halves are rejected. */
  #narrow(count: number): number {
    let [upper, lower] = product(this.uint32(), count);
    if (lower < count) {
      const threshold = (two32 - count) % count;
      while (lower < threshold) [upper, lower] = product(this.uint32(), count);
    }
    return upper;
  }

  /** The same with 64 bits. */
  #wide(count: bigint): bigint {
    const lower = (value: bigint) => BigInt.asUintN(64, value);
    let value = this.uint64() * count;
    if (lower(value) < count) {
      const threshold = ((1n << 64n) - count) % count;
      while (lower(value) < threshold) value = this.uint64() * count;
    }
    return value >> 64n;
  }
}

/** The upper and lower half of a product of two 32-bit numbers, in two parts that doubles hold exactly. */
function product(a: number, b: number): [number, number] {
  const low = (a & 0xffff) * b;
  const high = (a >>> 16) * b + Math.floor(low / 0x10000);
  return [Math.floor(high / 0x10000), (high % 0x10000) * 0x10000 + (low % 0x10000)];
}
