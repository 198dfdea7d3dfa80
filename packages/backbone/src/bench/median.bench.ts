/** The middle value; for an even count, the higher of the two middle values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
