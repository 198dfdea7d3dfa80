/**
 * A cache of answers. The key is the answerer's identity, the question and one picture's name, so the other candidates
 * do not matter. Failures are not cached, and equal concurrent questions are asked once.
 */
import { sha256 } from '@emac/files';
import type { Listener } from '@emac/lewis';
import {
  changing,
  listenerAnswerer,
  listenerOf,
  mostTries,
  type Answerer,
  type AnsweringListener,
  type Given,
  type PictureQuestion,
} from './answerer.ts';

export interface CacheOptions {
  /** cached answers, least recently used dropped; default 100,000 (about 15 MB) */
  readonly entries?: number;
}

/** A listener with a cache; it checks the identity on every call. Errors: the listener's. */
export function cachedListener(listener: Listener, options: CacheOptions = {}): AnsweringListener {
  return listenerOf(cached(listenerAnswerer(listener), options));
}

/** The same for any answerer. */
export function cached<T>(inner: Answerer<T>, { entries = 100_000 }: CacheOptions = {}): Answerer<T> {
  const kept = recent<T>(entries);
  const underWay = new Map<string, Promise<Given<T>>>();
  /** identity in the latest answer or check */
  let known: string | null = null;

  const begin = (keys: readonly string[], questions: readonly PictureQuestion[]): void => {
    const asked = inner.ask(questions);
    keys.forEach((key, place) => {
      const one = asked.then((given) => given[place]!);
      underWay.set(key, one);
      one.then(
        ({ answer, identity }) => {
          kept.set(keyIn(identity, key), answer);
          known = identity;
        },
        () => {},
      );
      const forget = () => underWay.delete(key);
      one.then(forget, forget);
    });
  };

  /** asks uncached questions, or awaits those in flight */
  const askRest = (
    questions: readonly PictureQuestion[],
    { keys, hits, identity }: Found<T>,
  ): Promise<readonly Given<T>[]> => {
    const missing = new Map(
      keys.flatMap((key, place) =>
        hits[place] !== undefined || underWay.has(key) ? [] : [[key, questions[place]!] as const],
      ),
    );
    if (missing.size > 0) begin([...missing.keys()], [...missing.values()]);
    return Promise.all(
      keys.map((key, place) => {
        const answer = hits[place];
        return answer === undefined ? underWay.get(key)! : { answer, identity };
      }),
    );
  };

  return {
    identity: () => inner.identity(),
    async ask(questions) {
      const keys = questions.map(keyOf);
      for (let tries = 0; tries < mostTries; tries++) {
        const identity = (known ??= await inner.identity());
        const hits = keys.map((key) => kept.get(keyIn(identity, key)));
        const isWhole = hits.every((answer) => answer !== undefined);
        if (!isWhole) return askRest(questions, { keys, hits, identity });
        // everything is cached, so check that the identity has not changed
        known = await inner.identity();
        if (known === identity) return hits.map((answer) => ({ answer, identity }));
      }
      throw changing();
    },
  };
}

interface Found<T> {
  readonly keys: readonly string[];
  /** undefined if not cached */
  readonly hits: readonly (T | undefined)[];
  readonly identity: string;
}

function keyOf({ picture, question }: PictureQuestion): string {
  return sha256(JSON.stringify([question, picture]));
}

function keyIn(identity: string, key: string): string {
  return `${key} ${identity}`;
}

/** The most recently used values. */
function recent<T>(most: number) {
  const values = new Map<string, T>();
  return {
    get(key: string): T | undefined {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key: string, value: T): void {
      values.delete(key);
      values.set(key, value);
      if (values.size > most) values.delete(values.keys().next().value!);
    },
  };
}
