/** A value that is loaded, and loaded again when something has changed; the earlier one stays until then. */
import { useEffect, useState } from 'preact/hooks';
import type { Source } from '../data/source.ts';

export interface Loaded<T> {
  readonly value: T | null;
  /** why it could not be loaded */
  readonly fault: string | null;
}

/** Loads whenever `key` is another; the value of another key is gone at once. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { readonly of: string }>({
    of: '',
    value: null,
    fault: null,
  });
  const identity = key.slice(0, key.lastIndexOf('#'));
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => isWanted && setState({ of: identity, value, fault: null }),
      (thrown: unknown) =>
        isWanted &&
        setState((before) => ({
          of: identity,
          // what was there stays while a server is away
          value: before.of === identity ? before.value : null,
          fault: thrown instanceof Error ? thrown.message : String(thrown),
        })),
    );
    return () => void (isWanted = false);
  }, [key]);
  return state.of === identity ? state : { value: null, fault: null };
}

/** Counts changes of these results, null for all; they come at most three times a second. */
export function useChanges(source: Source, meant: readonly string[] | null): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | null = null;
    const stop = source.follow((names) => {
      if (meant && names && !names.some((name) => meant.includes(name))) return;
      waiting ??= setTimeout(() => {
        waiting = null;
        setChanges((count) => count + 1);
      }, 300);
    });
    return () => {
      stop();
      if (waiting !== null) clearTimeout(waiting);
    };
  }, [source]);
  return changes;
}
