/**
 * The inverse cosine transform with 5 products per line (Arai, Agui, Nakajima 1988), with 8 fractional bits and no rounding. TensorFlow
 * decodes with it; the truncated bits make pictures about a step darker than an accurate transform would.
 */

const cut = (number: number, bits: number): number => number >> bits;
const times = (number: number, factor: number): number => cut(number * Math.round(factor * 256), 8);

const root2 = Math.SQRT2;
const scale = (place: number): number => (place === 0 ? 1 : root2 * Math.cos((place * Math.PI) / 16));

/** Factors for quantized coefficients, [64]: the step times the factors that the transform omits, with 2 fractional bits. */
export function inverseFactors(steps: readonly number[]): Int32Array {
  return Int32Array.from(steps, (step, place) => {
    const weight = Math.round(16384 * scale(Math.floor(place / 8)) * scale(place % 8));
    return (step * weight + 2048) >> 12;
  });
}

/** In place, [64] row by row: from coefficients times `inverseFactors` to values 0 … 255. */
export function inverseTransform(block: Int32Array): void {
  for (let column = 0; column < 8; column++) transformLine(block, column, 8);
  for (let row = 0; row < 8; row++) transformLine(block, row * 8, 1);
  for (let place = 0; place < 64; place++)
    block[place] = Math.min(Math.max(cut(block[place]!, 5) + 128, 0), 255);
}

function transformLine(block: Int32Array, start: number, step: number): void {
  const at = (place: number): number => block[start + place * step]!;
  const even = evenPart(at(0), at(2), [at(4), at(6)]);
  const odd = oddPart(at(1), at(3), [at(5), at(7)]);
  for (let place = 0; place < 4; place++) {
    block[start + place * step] = even[place]! + odd[place]!;
    block[start + (7 - place) * step] = even[place]! - odd[place]!;
  }
}

function evenPart(c0: number, c2: number, [c4, c6]: readonly [number, number]): readonly number[] {
  const [sum, difference] = [c0 + c4, c0 - c4];
  const straight = c2 + c6;
  const turned = times(c2 - c6, root2) - straight;
  return [sum + straight, difference + turned, difference - turned, sum - straight];
}

function oddPart(c1: number, c3: number, [c5, c7]: readonly [number, number]): readonly number[] {
  const [low, high] = [c1 + c7, c5 + c3];
  const [lowRest, highRest] = [c1 - c7, c5 - c3];
  const shared = times(lowRest + highRest, 1.847759065);
  const first = low + high;
  const second = times(highRest, -2.61312593) + shared - first;
  const third = times(low - high, root2) - second;
  const fourth = times(lowRest, 1.0823922) - shared + third;
  return [first, second, third, -fourth];
}
