/** What `npm test` leaves to `npm run check:long`, which sets EMAC_LONG=1: further rows of a kind that has one already, and kills. */

/** Whether the heavier variants are tried too. */
export const isLong = process.env['EMAC_LONG'] === '1';

/** Rows for `it.each` that are tried in `npm run check:long` alone; one of their kind stands beside them. */
export function alsoLong<T>(rows: readonly T[]): readonly T[] {
  return isLong ? rows : [];
}
