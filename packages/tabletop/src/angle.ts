/**
 * Sine and cosine of + − × ÷ alone. `Math.sin` may differ in its last bit from one engine to the next; these give the same bytes
 * everywhere, and are right to 1e-9.
 */

export const halfTurn = 3.141592653589793;
export const quarterTurn = halfTurn / 2;

/** The angle, some half turns away, that lies in (−π/2, π/2]. */
export function nearestHalfTurn(angle: number): number {
  return angle - halfTurn * Math.ceil(angle / halfTurn - 0.5);
}

/** Radians. */
export function sine(angle: number): number {
  const folded = nearestHalfTurn(angle);
  const turns = Math.round((angle - folded) / halfTurn);
  const sign = turns % 2 === 0 ? 1 : -1;
  return sign * series(folded);
}

/** Radians. */
export function cosine(angle: number): number {
  return sine(angle + quarterTurn);
}

/** Taylor's series to the 15th power, for |x| ≤ π/2: the next term is below 7e-12 × x². */
function series(x: number): number {
  const square = x * x;
  let sum = 0;
  for (let power = 15; power >= 3; power -= 2) sum = (1 - sum) * (square / (power * (power - 1)));
  return x * (1 - sum);
}

/** Into [low, high]. */
export function clamped(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
