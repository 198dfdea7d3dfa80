/** What is to be closed when something is over, however it ended. */

export interface Closings {
  /** Keeps how to close what has just been opened. */
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

/** Does `work`, and then closes what it opened. */
export async function closingAfter<T>(work: (open: Closings) => Promise<T>): Promise<T> {
  const open = closings();
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
