/**
 * MT19937 (Matsumoto and Nishimura 1998), the generator of Python's `random` and of numpy's older `numpy.random.seed`, each with its own seeding
 * and its own way to a whole number below a bound.
 */
import { EmacError } from '@emac/core';

const [length, middle] = [624, 397];

export class MersenneTwister {
  readonly #words: Uint32Array;
  #place = length;

  private constructor(words: Uint32Array) {
    this.#words = words;
  }

  /** As `random.seed(seed)` in Python, for whole numbers from 0 of any size. Errors: `usage` for another seed. */
  static fromPythonSeed(seed: number | bigint): MersenneTwister {
    const key = wordsOf(wholeSeed(seed));
    const words = started(19_650_218);
    let at = 1;
    const mixed = (factor: number): number =>
      (words[at]! ^ Math.imul(words[at - 1]! ^ (words[at - 1]! >>> 30), factor)) >>> 0;
    const advance = (): void => {
      if (++at < length) return;
      words[0] = words[length - 1]!;
      at = 1;
    };
    for (let round = 0; round < Math.max(length, key.length); round++, advance()) {
      const place = round % key.length;
      words[at] = mixed(1_664_525) + key[place]! + place;
    }
    for (let round = 1; round < length; round++, advance()) words[at] = mixed(1_566_083_941) - at;
    words[0] = 0x80000000;
    return new MersenneTwister(words);
  }

  /** As `numpy.random.seed(seed)`. numpy takes seeds below 2³² alone; of a larger one the lowest 32 bits count. */
  static fromNumpySeed(seed: number | bigint): MersenneTwister {
    return new MersenneTwister(started(Number(BigInt.asUintN(32, wholeSeed(seed)))));
  }

  /** 32 bits. */
  uint32(): number {
    if (this.#place === length) this.#twist();
    let word = this.#words[this.#place++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  /** Uniform in [0, 1), 53 bits: `random.random()`. */
  random(): number {
    const [high, low] = [this.uint32() >>> 5, this.uint32() >>> 6];
    return (high * 2 ** 26 + low) * 2 ** -53;
  }

  /**
   * Below `count` ≤ 2³¹, as Python draws for `randrange`, `choice` and `sample` of one: the highest bits, as many as `count` has, drawn again
   * while too large.
   */
  pythonBelow(count: number): number {
    const shift = Math.clz32(count);
    let drawn = this.uint32() >>> shift;
    while (drawn >= count) drawn = this.uint32() >>> shift;
    return drawn;
  }

  /** Below `count` ≤ 2³¹, as `numpy.random.randint(count)`: the lowest bits, drawn again while too large; of one number nothing is drawn. */
  numpyBelow(count: number): number {
    if (count === 1) return 0;
    const mask = 0xffffffff >>> Math.clz32(count - 1);
    let drawn = (this.uint32() & mask) >>> 0;
    while (drawn >= count) drawn = (this.uint32() & mask) >>> 0;
    return drawn;
  }

  #twist(): void {
    const words = this.#words;
    for (let at = 0; at < length; at++) {
      const both = (words[at]! & 0x80000000) | (words[(at + 1) % length]! & 0x7fffffff);
      const half = (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0);
      words[at] = words[(at + middle) % length]! ^ half;
    }
    this.#place = 0;
  }
}

function wholeSeed(seed: number | bigint): bigint {
  if (typeof seed === 'number' ? !Number.isSafeInteger(seed) || seed < 0 : seed < 0n)
    throw new EmacError('usage', `MersenneTwister: a seed is a whole number from 0, got ${seed}`);
  return BigInt(seed);
}

/** Lowest first; 0 is one word. */
function wordsOf(seed: bigint): number[] {
  const words = [Number(BigInt.asUintN(32, seed))];
  for (let rest = seed >> 32n; rest > 0n; rest >>= 32n) words.push(Number(BigInt.asUintN(32, rest)));
  return words;
}

function started(seed: number): Uint32Array {
  const words = new Uint32Array(length);
  words[0] = seed;
  for (let at = 1; at < length; at++)
    words[at] = Math.imul(words[at - 1]! ^ (words[at - 1]! >>> 30), 1_812_433_253) + at;
  return words;
}
