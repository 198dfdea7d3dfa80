/**
 * The one seeded generator (sfc32, Chris Doty-Humphrey's small fast counter, 128 bits of state). Sub-streams are
 * derived by name from the seed, not drawn from the parent, so a new stream never shifts another. The state is four
 * unsigned 32-bit numbers and can be stored and restored exactly.
 */
import { EmacError } from './error.ts';

export type RandomState = readonly [number, number, number, number];

export class Random {
  readonly #path: string;
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  private constructor(path: string, state: RandomState) {
    this.#path = path;
    [this.#a, this.#b, this.#c, this.#counter] = state;
  }

  /** A generator from a seed; equal seeds give equal sequences on every platform. */
  static fromSeed(seed: number | string): Random {
    const path = String(seed);
    const random = new Random(path, [...hash96(path), 1]);
    for (let i = 0; i < 12; i++) random.uint32();
    return random;
  }

  /** A generator that continues from a saved `state()`. */
  static restore(path: string, state: RandomState): Random {
    if (state.length !== 4 || state.some((word) => !Number.isInteger(word) || word < 0 || word > 0xffffffff))
      throw new EmacError(
        'data',
        `Random.restore: needs four unsigned 32-bit numbers, got [${state.join(', ')}]`,
      );
    return new Random(path, state);
  }

  /** An independent generator named `name`; depends on the seed path only, not on previous draws. */
  stream(name: string | number): Random {
    return Random.fromSeed(`${this.#path}/${name}`);
  }

  /** The seed and the names that led to this generator, joined by slashes. */
  get path(): string {
    return this.#path;
  }

  state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter];
  }

  /** Uniform over 0 … 2³² − 1. */
  uint32(): number {
    const sum = (((this.#a + this.#b) >>> 0) + this.#counter) >>> 0;
    this.#counter = (this.#counter + 1) >>> 0;
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0;
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum;
  }

  /** Uniform in [0, 1), 53 bits. */
  uniform(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /** Uniform integer in [0, count). */
  integer(count: number): number {
    if (!Number.isInteger(count) || count < 1)
      throw new EmacError('internal', `Random.integer: count must be a positive integer, got ${count}`);
    return Math.floor(this.uniform() * count);
  }

  /** Standard normal (Box–Muller, one value per call). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** One element, uniformly. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new EmacError('internal', 'Random.pick: the list is empty');
    return items[this.integer(items.length)]!;
  }

  /** One index with probability proportional to its non-negative weight. */
  weightedIndex(weights: ArrayLike<number>): number {
    let total = 0;
    for (let index = 0; index < weights.length; index++) total += weights[index]!;
    if (!(total > 0)) throw new EmacError('internal', `Random.weightedIndex: weights sum to ${total}`);
    let rest = this.uniform() * total;
    // rounding may leave a remainder: then the last index with a weight
    let last = 0;
    for (let index = 0; index < weights.length; index++) {
      if (!(weights[index]! > 0)) continue;
      last = index;
      rest -= weights[index]!;
      if (rest < 0) return index;
    }
    return last;
  }

  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[] {
    return Array.from(this.order(items.length), (place) => items[place]!);
  }

  /** The numbers below `count`, shuffled (Fisher–Yates), in 4 bytes each. */
  order(count: number): Uint32Array<ArrayBuffer> {
    const numbers = Uint32Array.from({ length: count }, (_, number) => number);
    for (let last = count - 1; last > 0; last--) {
      const other = this.integer(last + 1);
      [numbers[last], numbers[other]] = [numbers[other]!, numbers[last]!];
    }
    return numbers;
  }
}

const encoder = new TextEncoder();

/** Three 32-bit hashes of a text (FNV-1a with different bases, finished by a mix from MurmurHash3). */
function hash96(text: string): [number, number, number] {
  const bytes = encoder.encode(text);
  const hash = (basis: number): number => {
    let h = basis;
    for (const unit of bytes) h = Math.imul(h ^ unit, 0x01000193);
    h ^= h >>> 16;
    h = Math.imul(h, 0x85ebca6b);
    h ^= h >>> 13;
    h = Math.imul(h, 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  };
  return [hash(0x811c9dc5), hash(0x9747b28c), hash(0x1b873593)];
}
