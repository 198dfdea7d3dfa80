/**
 * Batches questions of many clients into calls of the model. As in the published services, a call has one question and
 * several pictures, from any requests. `concurrency` limits the calls; a client without a place in time gets `Busy`.
 */
import { EmacError } from '@emac/core';
import type { Timer } from '../world/timer.ts';
import type { Answerer, Given, PictureQuestion } from './answerer.ts';

export interface BatchedOptions {
  /** concurrent calls */
  readonly concurrency: number;
  /** pictures per call */
  readonly most: number;
  /** longest wait for a place, in milliseconds */
  readonly acquireTimeoutMs: number;
  readonly timer: Timer;
}

export interface Batched<T> extends Answerer<T> {
  /** questions waiting for a place */
  readonly waiting: number;
}

/** No place was free in time. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

interface Waiting<T> extends PictureQuestion {
  resolve(given: Given<T>): void;
  reject(thrown: unknown): void;
}

/** `ask` rejects with `Busy`, and as the answerer does. A question it refuses (`data`) fails alone. */
export function batched<T>(inner: Answerer<T>, options: BatchedOptions): Batched<T> {
  const { concurrency, most, acquireTimeoutMs, timer } = options;
  const queue: Waiting<T>[] = [];
  let taken = 0;
  const work = async (): Promise<void> => {
    taken++;
    // batch everything that arrives in the same turn of the event loop
    await new Promise((resolve) => setImmediate(resolve));
    for (let call = next(queue, most); call.length > 0; call = next(queue, most)) await answer(inner, call);
    taken--;
  };
  const ask = async (questions: readonly PictureQuestion[]): Promise<readonly Given<T>[]> => {
    const put: Waiting<T>[] = [];
    const answers = Promise.all(
      questions.map(
        (each) => new Promise<Given<T>>((resolve, reject) => void put.push({ ...each, resolve, reject })),
      ),
    );
    queue.push(...put);
    while (taken < concurrency && taken < queue.length) void work();
    const cancel = timer.after(acquireTimeoutMs, () => {
      const late = new Set(put.filter((each) => queue.includes(each)));
      remove(queue, late);
      late.forEach(({ reject }) => reject(new Busy()));
    });
    return answers.finally(cancel);
  };
  return {
    identity: () => inner.identity(),
    ask,
    get waiting() {
      return queue.length;
    },
  };
}

/** The oldest question and those equal to it, in order. */
function next<T>(queue: Waiting<T>[], most: number): readonly Waiting<T>[] {
  const call = queue.filter(({ question }) => question === queue[0]!.question).slice(0, most);
  remove(queue, new Set(call));
  return call;
}

function remove<T>(queue: Waiting<T>[], gone: ReadonlySet<Waiting<T>>): void {
  queue.splice(0, queue.length, ...queue.filter((each) => !gone.has(each)));
}

async function answer<T>(inner: Answerer<T>, call: readonly Waiting<T>[]): Promise<void> {
  try {
    const given = await inner.ask(call.map(({ picture, question }) => ({ picture, question })));
    call.forEach(({ resolve }, place) => resolve(given[place]!));
  } catch (thrown) {
    if (call.length === 1 || !isRefusal(thrown)) return call.forEach(({ reject }) => reject(thrown));
    // one bad question must not fail the others
    for (const each of call) await answer(inner, [each]);
  }
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof EmacError && thrown.code === 'data';
}
