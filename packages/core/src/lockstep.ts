/**
 * Several callers that take every step together: a step begins when all who are present have asked for it, and each
 * gets its own answer. Who leaves is waited for no more, and what it asked for and did not get is forgotten.
 */

export interface Member<Request, Answer> {
  /** Asks for the next step. Errors: the step's own, for all who asked. */
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

/** `count` members around one way of taking a step. */
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
    // a step that throws at once is a step that failed, for all
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
