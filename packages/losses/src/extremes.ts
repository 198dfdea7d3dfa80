/**
 * Minimum, maximum and clamping from `relu`, so that any arithmetic carries them. The order of the operands is chosen
 * so that a huge operand, such as a ratio of e²⁰, cancels nothing in float32; where both are equal the slope is the first's.
 */
import type { Arithmetic } from '@emac/core';

/** min(a, b), exact to rounding where b is huge. */
export function minimum<T>({ subtract, relu }: Arithmetic<T>, a: T, b: T): T {
  return subtract(a, relu(subtract(a, b)));
}

/** max(a, b). */
export function maximum<T>({ add, subtract, relu }: Arithmetic<T>, a: T, b: T): T {
  return add(a, relu(subtract(b, a)));
}

/** min(max(a, low), high); the slope is 1 between the bounds and 0 elsewhere. */
export function clamp<T>(
  { shift, scale, relu }: Arithmetic<T>,
  a: T,
  { low, high }: { readonly low: number; readonly high: number },
): T {
  const raised = shift(relu(shift(a, -low)), low);
  return shift(scale(relu(shift(scale(raised, -1), high)), -1), high);
}
