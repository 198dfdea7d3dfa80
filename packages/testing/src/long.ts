/** Variants that `npm test` leaves to `npm run check:long`, which sets EMAC_LONG=1: further rows of an already tested kind, and kills. Of documents too: their blocks marked long. */

/** Whether the heavier variants run too. */
export const isLong = process.env['EMAC_LONG'] === '1';

/** Rows for `it.each` that only run in `npm run check:long`; one of their kind always runs. */
export function alsoLong<T>(rows: readonly T[]): readonly T[] {
  return isLong ? rows : [];
}
