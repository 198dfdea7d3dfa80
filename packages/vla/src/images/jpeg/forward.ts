/**
 * The cosine transform of 8 × 8 blocks in integers (Loeffler, Ligtenberg, Moschytz 1989: 12 products per row), with 13 fractional bits.
 * Each pass rounds once, and that decides the last bit, so it must be exactly this factorization.
 */

const bits = 13;
/** fractional bits kept after the first pass */
const spare = 2;
const fixed = (number: number): number => Math.round(number * (1 << bits));
const rounded = (number: number, shift: number): number => (number + (1 << (shift - 1))) >> shift;

/** In place, [64] row by row; the result is 8 times that of the orthonormal transform. */
export function forwardTransform(block: Int32Array): void {
  for (let row = 0; row < 8; row++) transformLine(block, { start: row * 8, step: 1 }, 'rows');
  for (let column = 0; column < 8; column++) transformLine(block, { start: column, step: 8 }, 'columns');
}

interface Line {
  readonly start: number;
  readonly step: number;
}

function transformLine(block: Int32Array, { start, step }: Line, pass: 'rows' | 'columns'): void {
  const at = (place: number): number => block[start + place * step]!;
  const sums = [0, 1, 2, 3].map((place) => at(place) + at(7 - place)) as Four;
  const differences = [3, 2, 1, 0].map((place) => at(place) - at(7 - place)) as Four;
  const whole = pass === 'rows' ? (n: number) => n << spare : (n: number) => rounded(n, spare);
  const shift = pass === 'rows' ? bits - spare : bits + spare;
  const even = evenPart(sums);
  const odd = oddPart(differences);
  block[start] = whole(even[0]);
  block[start + 4 * step] = whole(even[2]);
  block[start + 2 * step] = rounded(even[1], shift);
  block[start + 6 * step] = rounded(even[3], shift);
  odd.forEach((value, place) => (block[start + (2 * place + 1) * step] = rounded(value, shift)));
}

type Four = [number, number, number, number];

/** Coefficients 0, 2, 4, 6; the first and third without fractional bits. */
function evenPart([a, b, c, d]: Four): Four {
  const [outer, inner] = [a - d, b - c];
  const shared = (outer + inner) * fixed(0.5411961);
  return [
    a + d + b + c,
    shared + outer * fixed(0.765366865),
    a + d - b - c,
    shared - inner * fixed(1.847759065),
  ];
}

/** Coefficients 1, 3, 5, 7 from the differences, the innermost first. */
function oddPart([a, b, c, d]: Four): Four {
  const common = (a + b + c + d) * fixed(1.175875602);
  const ad = (a + d) * -fixed(0.899976223);
  const bc = (b + c) * -fixed(2.562915447);
  const ac = common - (a + c) * fixed(1.96157056);
  const bd = common - (b + d) * fixed(0.390180644);
  return [
    d * fixed(1.50132111) + ad + bd,
    c * fixed(3.072711026) + bc + ac,
    b * fixed(2.053119869) + bc + bd,
    a * fixed(0.298631336) + ad + ac,
  ];
}
