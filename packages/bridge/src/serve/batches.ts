/**
 * Questions of many clients, answered in batches: while one batch is decided, what arrives waits, and all of it is the next one. Nobody
 * waits for others to arrive. What is answered to one does not depend on the others (`Policy.decide`).
 */
import type { Answer, Policy, Question, Sampling } from '@emac/core';

export interface BatchesOptions {
  readonly policy: Pick<Policy, 'decide'>;
  /** questions in one batch */
  readonly most: number;
  /** hears of every batch that was decided */
  readonly onBatch?: (questions: number) => void;
}

export interface Batches {
  /** The answer, once its batch has come. Rejects as `Policy.decide` does for this question alone, or when the signal fires before. */
  decide(
    question: Question,
    asked: { readonly sampling: Sampling; readonly signal?: AbortSignal },
  ): Promise<Answer>;
  /** questions that wait for their batch */
  readonly waiting: number;
}

interface Waiting {
  readonly question: Question;
  readonly sampling: Sampling;
  readonly signal: AbortSignal | undefined;
  resolve(answer: Answer): void;
  reject(thrown: unknown): void;
}

/** Batches over a policy, which must not be asked by anyone else meanwhile. */
export function batches({ policy, most, onBatch = () => {} }: BatchesOptions): Batches {
  const queue: Waiting[] = [];
  let isBusy = false;
  const work = async (): Promise<void> => {
    isBusy = true;
    // what arrives in the same turn of the event loop goes together
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

/** The oldest and those that are sampled alike, in order; who has gone is left out. */
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
    // a question that cannot be answered is no reason for the others not to be
    for (const each of batch) await answer(policy, [each]);
  }
}
