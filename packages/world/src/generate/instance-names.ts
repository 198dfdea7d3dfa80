/**
 * Display names by ALFWorld's rule: ids sorted by code point, numbered downwards per class, so the last id of a class
 * is number 1. The class is the text before the first `_bar_`, plus `basin` if the id contains it.
 */
export function instanceNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.map((id) => ({ id, key: id.toLowerCase() })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const remaining = new Map<string, number>();
  const classes = sorted.map(
    ({ key }) => key.slice(0, key.indexOf('_bar_')) + (key.includes('basin') ? 'basin' : ''),
  );
  for (const name of classes) remaining.set(name, (remaining.get(name) ?? 0) + 1);
  return new Map(
    sorted.map(({ id }, index) => {
      const number = remaining.get(classes[index]!)!;
      remaining.set(classes[index]!, number - 1);
      return [id, `${classes[index]!} ${number}`];
    }),
  );
}
