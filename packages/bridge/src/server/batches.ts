/**
 * Answers questions of many clients in batches: questions that arrive while the model is busy form the next batches. No
 * question waits for others to arrive. An answer must not depend on the rest of its batch.
 */
export interface BatchesOptions<Q, A> {
  /** one answer per question, in order */
  readonly answer: (questions: readonly Q[]) => Promise<readonly A[]>;
  /** a batch has questions of one group */
  readonly groupOf: (question: Q) => string;
  /** questions per batch */
  readonly most: number;
  /** concurrent batches; default 1 */
  readonly concurrency?: number;
  /** whether a fault may be of one question, so that all of its batch are asked alone; default: every fault */
  readonly isOfOne?: (thrown: unknown) => boolean;
  /** called after every batch */
  readonly onBatch?: (questions: number) => void;
}

export interface Batches<Q, A> {
  /** Rejects as `answer` does for this question alone, or with the signal's reason if that fires before its batch. */
  ask(question: Q, signal?: AbortSignal): Promise<A>;
  /** questions waiting for their batch */
  readonly waiting: number;
}

interface Waiting<Q, A> {
  readonly question: Q;
  resolve(answer: A): void;
  reject(thrown: unknown): void;
}

export function batches<Q, A>(options: BatchesOptions<Q, A>): Batches<Q, A> {
  const { most, groupOf, concurrency = 1, onBatch = () => {} } = options;
  let queue: Waiting<Q, A>[] = [];
  let working = 0;
  /** the oldest question and those of its group, in order */
  const next = (): readonly Waiting<Q, A>[] => {
    const alike = queue.filter(({ question }) => groupOf(question) === groupOf(queue[0]!.question));
    const batch = alike.slice(0, most);
    queue = queue.filter((each) => !batch.includes(each));
    return batch;
  };
  const work = async (): Promise<void> => {
    working++;
    // batch everything that arrives in the same turn of the event loop
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = next(); batch.length > 0; batch = next()) {
      await settle(batch, options);
      onBatch(batch.length);
    }
    working--;
  };
  return {
    get waiting() {
      return queue.length;
    },
    ask: (question, signal) =>
      new Promise((resolve, reject) => {
        const waiting = { question, resolve, reject };
        const leave = () => {
          if (queue.includes(waiting)) reject(signal!.reason);
          queue = queue.filter((each) => each !== waiting);
        };
        queue.push(waiting);
        if (signal?.aborted) leave();
        else signal?.addEventListener('abort', leave, { once: true });
        if (working < concurrency) void work();
      }),
  };
}

async function settle<Q, A>(
  batch: readonly Waiting<Q, A>[],
  { answer, isOfOne = () => true }: Pick<BatchesOptions<Q, A>, 'answer' | 'isOfOne'>,
): Promise<void> {
  try {
    const answers = await answer(batch.map(({ question }) => question));
    batch.forEach(({ resolve }, place) => resolve(answers[place]!));
  } catch (thrown) {
    if (batch.length === 1 || !isOfOne(thrown)) return batch.forEach(({ reject }) => reject(thrown));
    // one bad question must not fail the others
    for (const each of batch) await settle([each], { answer });
  }
}
