/** Closes resources at the end of a piece of work, however it ends. */

export interface Closings {
  /** Registers how to close a resource just opened. */
  add(close: () => void | Promise<void>): void;
  /** Closes everything, the last that was opened first. */
  close(): Promise<void>;
}

/** Nothing is open yet. */
export function closings(): Closings {
  const waiting: (() => void | Promise<void>)[] = [];
  return {
    add: (close) => void waiting.push(close),
    async close() {
      for (let close = waiting.pop(); close; close = waiting.pop()) await close();
    },
  };
}

/** Does `work`, then closes everything it opened. */
export async function closingAfter<T>(work: (open: Closings) => Promise<T>): Promise<T> {
  const open = closings();
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** Does `work`, whose result closes what it opened later; a fault closes it now. */
export async function openedBy<T>(work: (open: Closings) => Promise<T>): Promise<T> {
  const open = closings();
  try {
    return await work(open);
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}
