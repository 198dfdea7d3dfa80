/**
 * Answers questions of many clients in batches: questions that arrive during one batch form the next. No question waits
 * for others to arrive. An answer does not depend on the rest of its batch (`Policy.decide`).
 */
import type { Answer, Policy, Question, Sampling } from '@emac/core';

export interface BatchesOptions {
  readonly policy: Pick<Policy, 'decide'>;
  /** questions per batch */
  readonly most: number;
  /** called after every batch */
  readonly onBatch?: (questions: number) => void;
}

export interface Batches {
  /**
   * Resolves to the answer of its batch. Rejects as `Policy.decide` does for this question alone, or when the signal
   * fires earlier.
   */
  decide(
    question: Question,
    asked: { readonly sampling: Sampling; readonly signal?: AbortSignal },
  ): Promise<Answer>;
  /** questions waiting for their batch */
  readonly waiting: number;
}

interface Waiting {
  readonly question: Question;
  readonly sampling: Sampling;
  readonly signal: AbortSignal | undefined;
  resolve(answer: Answer): void;
  reject(thrown: unknown): void;
}

/** Batches over a policy, which must have no other callers meanwhile. */
export function batches({ policy, most, onBatch = () => {} }: BatchesOptions): Batches {
  const queue: Waiting[] = [];
  let isBusy = false;
  const work = async (): Promise<void> => {
    isBusy = true;
    // batch everything that arrives in the same turn of the event loop
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = next(queue, most); batch.length > 0; batch = next(queue, most)) {
      await answer(policy, batch);
      onBatch(batch.length);
    }
    isBusy = false;
  };
  return {
    get waiting() {
      return queue.length;
    },
    decide: (question, { sampling, signal }) =>
      new Promise((resolve, reject) => {
        queue.push({ question, sampling, signal, resolve, reject });
        if (!isBusy) void work();
      }),
  };
}

/** The oldest question and those sampled alike, in order; cancelled ones are dropped. */
function next(queue: Waiting[], most: number): Waiting[] {
  const there = queue.filter(({ signal, reject }) => {
    if (signal?.aborted) reject(signal.reason);
    return !signal?.aborted;
  });
  const wanted = JSON.stringify(there[0]?.sampling);
  const batch = there.filter(({ sampling }) => JSON.stringify(sampling) === wanted).slice(0, most);
  queue.splice(0, queue.length, ...there.filter((each) => !batch.includes(each)));
  return batch;
}

async function answer(policy: Pick<Policy, 'decide'>, batch: readonly Waiting[]): Promise<void> {
  try {
    const answers = await policy.decide(
      batch.map(({ question }) => question),
      batch[0]!.sampling,
    );
    batch.forEach(({ resolve }, place) => resolve(answers[place]!));
  } catch (thrown) {
    if (batch.length === 1) return batch[0]!.reject(thrown);
    // one bad question must not fail the others
    for (const each of batch) await answer(policy, [each]);
  }
}
