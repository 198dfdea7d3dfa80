/** Batches single questions: those of all rewards of an update, or of all its tasks. */

/** The same answers, with one call for all questions that arrive before their callers wait. */
export function gathered<Item, Result>(
  ask: (items: readonly Item[]) => Promise<readonly Result[]>,
): (items: readonly Item[]) => Promise<readonly Result[]> {
  let waiting: Waiting<Item, Result>[] = [];
  const carryOut = async (asked: readonly Waiting<Item, Result>[]) => {
    try {
      const found = await ask(asked.flatMap(({ items }) => items));
      let next = 0;
      for (const { items, resolve } of asked) {
        resolve(found.slice(next, next + items.length));
        next += items.length;
      }
    } catch (thrown) {
      for (const { reject } of asked) reject(thrown);
    }
  };
  return (items) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0)
        queueMicrotask(() => {
          const asked = waiting;
          waiting = [];
          void carryOut(asked);
        });
      waiting.push({ items, resolve, reject });
    });
}

interface Waiting<Item, Result> {
  readonly items: readonly Item[];
  resolve(found: readonly Result[]): void;
  reject(thrown: unknown): void;
}
