/**
 * Results that may be immediate or promises. Code that steps environments awaits promises only: a turn of the event loop costs more than a step of
 * a small game.
 */
export type MaybeAsync<T> = T | Promise<T>;

/**
 * Work on each item, concurrently if asynchronous; results in order. Errors: the first failed one in order, after all work has finished.
 */
export function eachOf<Item, T>(
  items: readonly Item[],
  work: (item: Item, place: number) => MaybeAsync<T>,
): MaybeAsync<T[]> {
  const results: MaybeAsync<T>[] = [];
  try {
    items.forEach((item, place) => results.push(work(item, place)));
  } catch (thrown) {
    if (!results.some(isPromise)) throw thrown;
    results.push(Promise.reject(thrown as Error));
  }
  return results.some(isPromise) ? settled(results) : (results as T[]);
}

/** Applies `then` to a result, immediately if possible. */
export function afterwards<T, Made>(
  result: MaybeAsync<T>,
  make: (result: T) => MaybeAsync<Made>,
): MaybeAsync<Made> {
  return isPromise(result) ? result.then(make) : make(result);
}

async function settled<T>(results: readonly MaybeAsync<T>[]): Promise<T[]> {
  const all = await Promise.allSettled(results);
  return all.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value as T;
  });
}

function isPromise<T>(result: MaybeAsync<T>): result is Promise<T> {
  return result instanceof Promise;
}
