/**
 * Several callers that take every step together: a step begins when all present members have asked, and each gets its
 * own answer. A member that leaves is no longer waited for, and its pending request is dropped.
 */

export interface Member<Request, Answer> {
  /** Requests the next step. Errors: the step's own, for all members that asked. */
  ask(request: Request): Promise<Answer>;
  leave(): void;
}

/** One answer for each request, in order. */
export type JointStep<Request, Answer> = (requests: readonly Request[]) => Promise<readonly Answer[]>;

interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** `count` members around one step function. */
export function lockstep<Request, Answer>(
  count: number,
  step: JointStep<Request, Answer>,
): Member<Request, Answer>[] {
  const places = Array.from({ length: count }, (_, place) => place);
  const present = new Set(places);
  const waiting = new Map<number, Waiting<Request, Answer>>();
  const stepWhenAllAsked = (): void => {
    if (waiting.size === 0 || waiting.size < present.size) return;
    const asked = places.flatMap((place) => waiting.get(place) ?? []);
    waiting.clear();
    // a step that throws synchronously also fails for all
    new Promise<readonly Answer[]>((resolve) => resolve(step(asked.map(({ request }) => request)))).then(
      (answers) => asked.forEach(({ resolve }, place) => resolve(answers[place]!)),
      (error: unknown) => asked.forEach(({ reject }) => reject(error)),
    );
  };
  return places.map((place) => ({
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.set(place, { request, resolve, reject });
        stepWhenAllAsked();
      }),
    leave: () => {
      waiting.delete(place);
      if (present.delete(place)) stepWhenAllAsked();
    },
  }));
}
