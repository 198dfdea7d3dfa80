/** What is used of `node:util` in a tab. */

/** Whether plain values are equal, through objects and lists. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [mine, its] = [Object.entries(one), new Map(Object.entries(other))];
  const isList = Array.isArray(one) === Array.isArray(other);
  return (
    isList &&
    mine.length === its.size &&
    mine.every(([key, value]) => its.has(key) && isDeepStrictEqual(value, its.get(key)))
  );
}

export function inspect(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
