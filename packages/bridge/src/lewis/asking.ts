/**
 * The items of a request, for both services: resolves picture names, merges equal questions, queues calls of the model,
 * and returns one identity.
 */
import { setMaxListeners } from 'node:events';
import { EmacError } from '@emac/core';
import { batches } from '../server/batches.ts';
import { realTimer, type Timer } from '../world/timer.ts';
import { changing, isOfOne, mostTries, type Answerer, type Given, type PictureQuestion } from './answerer.ts';
import { cached, type CacheOptions } from './cached.ts';
import type { AskedItem } from './messages.ts';
import { RefusedPicture, type Pictures } from './pictures.ts';

export interface AskingOptions extends CacheOptions {
  /** the answerer's pictures; it receives names from `nameOf` */
  readonly pictures: Pictures;
  /** concurrent calls of the model; INFERENCE_CONCURRENCY */
  readonly concurrency: number;
  /** longest wait for a place, in milliseconds; INFERENCE_ACQUIRE_TIMEOUT */
  readonly acquireTimeoutMs: number;
  /** pictures per call of the model; LISTENER_BATCH_SIZE, SPEAKER_BATCH_SIZE */
  readonly batchSize: number;
  readonly timer?: Timer;
  /** called with faults; clients learn only that there was one */
  readonly onFault?: (thrown: unknown) => void;
}

/** The answers to an item's pictures, or the client's error message. */
export type Outcome<T> = { readonly answers: readonly T[] } | { readonly error: string };

export interface Outcomes<T> {
  /** of all answers; null if unknown */
  readonly identity: string | null;
  /** one per item */
  readonly outcomes: readonly Outcome<T>[];
}

export interface Asking<T> {
  /** Rejects with `Busy`. */
  outcomes(items: readonly AskedItem[]): Promise<Outcomes<T>>;
  identity(): Promise<string>;
  /** questions waiting for a place */
  readonly waiting: number;
}

/** No place was free in time. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

export function asking<T>(inner: Answerer<T>, options: AskingOptions): Asking<T> {
  const { pictures, batchSize, concurrency, acquireTimeoutMs } = options;
  const { timer = realTimer, onFault = () => {} } = options;
  // as in the published services, a call has one question and several pictures, from any requests
  const queue = batches({
    answer: (questions: readonly PictureQuestion[]) => inner.ask(questions),
    groupOf: ({ question }) => question,
    most: batchSize,
    concurrency,
    isOfOne: (thrown) => thrown instanceof EmacError && thrown.code === 'data',
  });
  const inTime: Answerer<T> = {
    identity: () => inner.identity(),
    ask(questions) {
      const late = new AbortController();
      // every question listens to it
      setMaxListeners(0, late.signal);
      const cancel = timer.after(acquireTimeoutMs, () => late.abort(new Busy()));
      return Promise.all(questions.map((each) => queue.ask(each, late.signal))).finally(cancel);
    },
  };
  const answerer = cached(inTime, options);
  const settled = async (item: AskedItem): Promise<Outcome<Given<T>>> => {
    try {
      const names = await Promise.all(item.candidate_paths.map((name) => pictures.nameOf(name)));
      const questions = names.map((picture) => ({ picture, question: item.question }));
      return { answers: questions.length === 0 ? [] : await answerer.ask(questions) };
    } catch (thrown) {
      if (thrown instanceof Busy) throw thrown;
      if (!(thrown instanceof RefusedPicture)) onFault(thrown);
      return { error: wordsFor(thrown) };
    }
  };
  return {
    identity: () => answerer.identity(),
    get waiting() {
      return queue.waiting;
    },
    async outcomes(items) {
      for (let tries = 0; tries < mostTries; tries++) {
        const all = await Promise.all(items.map(settled));
        const given = all.flatMap((each) => ('answers' in each ? each.answers : []));
        if (!isOfOne(given)) continue;
        const identity = given[0]?.identity ?? (await answerer.identity().catch(() => null));
        return { identity, outcomes: all.map(withoutIdentity) };
      }
      throw changing();
    },
  };
}

function withoutIdentity<T>(outcome: Outcome<Given<T>>): Outcome<T> {
  return 'error' in outcome ? outcome : { answers: outcome.answers.map(({ answer }) => answer) };
}

/** Other faults' messages are for the server's log only. */
function wordsFor(thrown: unknown): string {
  if (thrown instanceof RefusedPicture) return thrown.message;
  return thrown instanceof EmacError && thrown.code === 'data'
    ? 'The model rejects this question or picture; it may be too long.'
    : 'The model failed to answer; the log of its service says why.';
}
