/** Splits a thread's long work, so that the process notices Ctrl-C and SIGTERM in between. */
import { setImmediate } from 'node:timers/promises';

/** The same items; waiting events are handled before each. */
export async function* lettingSignalsIn<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    await setImmediate();
    yield item;
  }
}
