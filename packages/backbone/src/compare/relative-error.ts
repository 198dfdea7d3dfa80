/** max |a − b| / max |b| over the selected indices; Infinity if a value is NaN or the lengths differ. */
export function relativeError(
  a: Float32Array,
  b: Float32Array,
  counts: (index: number) => boolean = () => true,
): number {
  if (a.length !== b.length) return Infinity;
  let [difference, magnitude] = [0, 0];
  for (let index = 0; index < b.length; index++) {
    if (!counts(index)) continue;
    const distance = Math.abs(a[index]! - b[index]!);
    if (Number.isNaN(distance)) return Infinity;
    difference = Math.max(difference, distance);
    magnitude = Math.max(magnitude, Math.abs(b[index]!));
  }
  return magnitude === 0 ? difference : difference / magnitude;
}
