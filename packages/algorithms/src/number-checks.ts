/** Checks of numeric settings; each throws `usage` with the name of its flag. */
import { EmacError } from '@emac/core';

export function whole(flag: string, value: number, least: number): void {
  const fits = Number.isSafeInteger(value) && value >= least;
  check(flag, { fits, rule: `a whole number from ${least} on`, value });
}

export function above(flag: string, value: number, bound: number): void {
  check(flag, { fits: value > bound && value < Infinity, rule: `above ${bound}`, value });
}

export function atLeast(flag: string, value: number, bound: number): void {
  check(flag, { fits: value >= bound && value < Infinity, rule: `${bound} or above`, value });
}

export function share(flag: string, value: number): void {
  check(flag, { fits: value >= 0 && value <= 1, rule: 'from 0 to 1', value });
}

interface Check {
  readonly fits: boolean;
  readonly rule: string;
  readonly value: number;
}

export function check(flag: string, { fits, rule, value }: Check): void {
  if (!fits) throw new EmacError('usage', `${flag}: must be ${rule}, got ${value}`);
}
