/**
 * A cache of answers. The key is the question and one picture's name, so the other candidates do not matter. Answers of
 * an earlier identity are dropped. Failures are not kept, and equal concurrent questions are asked once.
 */
import { EmacError } from '@emac/core';
import { sha256 } from '@emac/files';
import type { LewisPlayer, PictureAnswers, PictureQuestion } from '@emac/lewis';

export interface CacheOptions {
  /** kept answers, least recently used dropped; default 100,000 (about 15 MB) */
  readonly entries?: number;
}

/** An answer, and the identity of its model. */
export interface Given<T> {
  readonly answer: T;
  readonly identity: string;
}

/** A player with a cache; it checks the identity on every call. Errors: the player's. */
export function cachedPlayer<T>(
  inner: LewisPlayer<T>,
  { entries = 100_000 }: CacheOptions = {},
): LewisPlayer<T> {
  const kept = new Map<string, Promise<Given<T>>>();
  const begin = (missing: ReadonlyMap<string, PictureQuestion>): void => {
    const asked = inner.ask([...missing.values()]);
    [...missing.keys()].forEach((key, place) => {
      const one = asked.then(({ answers, identity }) => ({ answer: answers[place]!, identity }));
      kept.set(key, one);
      one.catch(() => kept.delete(key));
    });
  };
  const latest = (key: string): Promise<Given<T>> => {
    const one = kept.get(key)!;
    kept.delete(key);
    kept.set(key, one);
    return one;
  };
  return {
    identity: () => inner.identity(),
    ask(questions) {
      const keys = questions.map(keyOf);
      return untilAlike(async () => {
        const missing = new Map(
          keys.flatMap((key, place) => (kept.has(key) ? [] : [[key, questions[place]!] as const])),
        );
        if (missing.size > 0) begin(missing);
        const given = await Promise.all(keys.map(latest));
        for (const key of kept.keys()) if (kept.size > entries) kept.delete(key);
        const fresh = given[keys.findIndex((key) => missing.has(key))];
        const identity = fresh?.identity ?? (await inner.identity());
        keys.forEach((key, place) => given[place]!.identity === identity || kept.delete(key));
        return alike(given, identity);
      });
    },
  };
}

/** Repeats an attempt until its answers are of one identity, that is not null. Errors: `unavailable` after five tries. */
export async function untilAlike<R>(attempt: () => Promise<R | null>): Promise<R> {
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await attempt();
    if (found !== null) return found;
  }
  throw new EmacError(
    'unavailable',
    `identity: changed after each of ${mostTries} tries; try again when the model no longer changes`,
  );
}

const mostTries = 5;

/** The answers, if all are of this identity, else null. */
export function alike<T>(given: readonly Given<T>[], identity: string): PictureAnswers<T> | null {
  if (given.some((each) => each.identity !== identity)) return null;
  return { answers: given.map(({ answer }) => answer), identity };
}

function keyOf({ picture, question }: PictureQuestion): string {
  return sha256(JSON.stringify([question, picture]));
}
