/** Yields items in the order of their indices; early ones wait. */
export async function* inOrder<T>(
  come: AsyncIterable<readonly [place: number, value: T]>,
): AsyncGenerator<readonly [place: number, value: T]> {
  const early = new Map<number, T>();
  let next = 0;
  for await (const [place, value] of come) {
    early.set(place, value);
    for (; early.has(next); next++) {
      yield [next, early.get(next)!];
      early.delete(next);
    }
  }
}
