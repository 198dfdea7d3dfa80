/** A tab has no such limit: the browser itself offers to end a page that does not answer. */

/** What `run` returns. */
export function withinTime<T>(_milliseconds: number, run: () => T): { readonly value: T } | null {
  return { value: run() };
}
