/** `node:async_hooks` of a tab. */

/** Knows its value while `run` has not returned, and not in what it awaits later. */
export class AsyncLocalStorage<T> {
  #value: T | undefined;

  run<R>(value: T, work: () => R): R {
    const before = this.#value;
    this.#value = value;
    try {
      return work();
    } finally {
      this.#value = before;
    }
  }

  getStore(): T | undefined {
    return this.#value;
  }
}
