/** The first value that a list has had before, in one pass; undefined if all differ. */
export function repeated<T>(values: readonly T[]): T | undefined {
  const before = new Set<T>();
  return values.find((value) => {
    if (before.has(value)) return true;
    before.add(value);
    return false;
  });
}
