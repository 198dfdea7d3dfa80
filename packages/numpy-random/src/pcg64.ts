/**
 * PCG64 (O'Neill 2014, PCG XSL RR 128/64): a linear congruential generator of 128 bits whose state is folded to 64 and
 * rotated. The state is stored in six limbs of 24 bits, lowest first. A product of two limbs is below 2⁴⁸ and a column
 * of the long multiplication below 2⁵¹, so doubles are exact and no BigInt is needed.
 */

const multiplier = 0x2360ed051fc65da44385df649fccf645n;
const [m0, m1, m2, m3, m4, m5] = limbsOf(multiplier);
const limb = 2 ** 24;

type Limbs = [number, number, number, number, number, number];

export class Pcg64 {
  /** the last output, as two unsigned 32-bit halves */
  high = 0;
  low = 0;
  #a0 = 0;
  #a1 = 0;
  #a2 = 0;
  #a3 = 0;
  #a4 = 0;
  #a5 = 0;
  readonly #increment: Limbs;

  /** A generator in the given state; both numbers are below 2¹²⁸, the increment is odd. */
  constructor(state: bigint, increment: bigint) {
    [this.#a0, this.#a1, this.#a2, this.#a3, this.#a4, this.#a5] = limbsOf(state);
    this.#increment = limbsOf(increment);
  }

  /** numpy's initialization from four 64-bit words, given as eight of 32 bits, low halves first. */
  static fromWords(words: readonly number[]): Pcg64 {
    const [w0, w1, w2, w3] = [0, 2, 4, 6].map(
      (place) => (BigInt(words[place + 1]!) << 32n) | BigInt(words[place]!),
    );
    const increment = bits128((((w2! << 64n) | w3!) << 1n) | 1n);
    const start = increment + ((w0! << 64n) | w1!);
    return new Pcg64(bits128(start * multiplier + increment), increment);
  }

  get state(): bigint {
    return numberOf([this.#a0, this.#a1, this.#a2, this.#a3, this.#a4, this.#a5]);
  }

  get increment(): bigint {
    return numberOf(this.#increment);
  }

  /** Draws 64 bits into `high` and `low`. */
  next(): void {
    this.#step();
    const bottom = this.#a0 | (this.#a1 << 24);
    const lower = (this.#a1 >>> 8) | (this.#a2 << 16);
    const upper = (this.#a2 >>> 16) | (this.#a3 << 8);
    const top = this.#a4 | (this.#a5 << 24);
    const [high, low] = [top ^ lower, upper ^ bottom];
    const rotation = top >>> 26;
    const isSwapped = rotation >= 32;
    const [first, second] = isSwapped ? [low, high] : [high, low];
    const shift = rotation & 31;
    if (shift === 0) {
      this.high = first >>> 0;
      this.low = second >>> 0;
      return;
    }
    this.high = ((first >>> shift) | (second << (32 - shift))) >>> 0;
    this.low = ((second >>> shift) | (first << (32 - shift))) >>> 0;
  }

  /** state ← state · multiplier + increment, modulo 2¹²⁸. */
  #step(): void {
    const [a0, a1, a2, a3, a4, a5] = [this.#a0, this.#a1, this.#a2, this.#a3, this.#a4, this.#a5];
    const [i0, i1, i2, i3, i4, i5] = this.#increment;
    let column = a0 * m0 + i0;
    let carry = Math.floor(column / limb);
    this.#a0 = column - carry * limb;
    column = a0 * m1 + a1 * m0 + i1 + carry;
    carry = Math.floor(column / limb);
    this.#a1 = column - carry * limb;
    column = a0 * m2 + a1 * m1 + a2 * m0 + i2 + carry;
    carry = Math.floor(column / limb);
    this.#a2 = column - carry * limb;
    column = a0 * m3 + a1 * m2 + a2 * m1 + a3 * m0 + i3 + carry;
    carry = Math.floor(column / limb);
    this.#a3 = column - carry * limb;
    column = a0 * m4 + a1 * m3 + a2 * m2 + a3 * m1 + a4 * m0 + i4 + carry;
    carry = Math.floor(column / limb);
    this.#a4 = column - carry * limb;
    column = a0 * m5 + a1 * m4 + a2 * m3 + a3 * m2 + a4 * m1 + a5 * m0 + i5 + carry;
    this.#a5 = column % 256;
  }
}

function bits128(value: bigint): bigint {
  return BigInt.asUintN(128, value);
}

function limbsOf(value: bigint): Limbs {
  const at = (place: bigint) => Number(BigInt.asUintN(24, value >> (24n * place)));
  return [at(0n), at(1n), at(2n), at(3n), at(4n), at(5n)];
}

function numberOf(limbs: Limbs): bigint {
  return limbs.reduceRight((value, each) => (value << 24n) | BigInt(each), 0n);
}
