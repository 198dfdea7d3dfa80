/**
 * Minimum, maximum and clamping from `relu`, so that any arithmetic supports them. The order of operands keeps a huge one,
 * such as a ratio of e²⁰, from cancelling a small one in float32; at ties the slope is the first operand's.
 */
import type { Arithmetic } from '@emac/core';

/** min(a, b), exact to rounding for huge b. */
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
