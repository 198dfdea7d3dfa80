/** Long work of one thread, in pieces: between two of them the process hears Ctrl-C and SIGTERM. */
import { setImmediate } from 'node:timers/promises';

/** The same items; before each, events that wait are handled. */
export async function* lettingSignalsIn<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  for await (const item of items) {
    await setImmediate();
    yield item;
  }
}
