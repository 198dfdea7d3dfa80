/**
 * Several callers that take every step together: a step begins when all who are present have asked for it, and each
 * gets its own answer. Who leaves is waited for no more.
 */

export interface Member<Request, Answer> {
  /** Asks for the next step. Errors: the step's own, for all who asked. */
  ask(request: Request): Promise<Answer>;
  leave(): void;
}

/** One request and one answer for each member; null from those who left. */
export type Step<Request, Answer> = (requests: readonly (Request | null)[]) => Promise<readonly Answer[]>;

interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** `count` members around one way of taking a step; `empty` is called when the last one has left. */
export function lockstep<Request, Answer>(
  count: number,
  { step, empty }: { step: Step<Request, Answer>; empty: () => void },
): Member<Request, Answer>[] {
  const places = Array.from({ length: count }, (_, place) => place);
  const present = new Set(places);
  const waiting = new Map<number, Waiting<Request, Answer>>();
  const stepWhenAllAsked = (): void => {
    if (waiting.size === 0 || waiting.size < present.size) return;
    const asked = new Map(waiting);
    waiting.clear();
    step(places.map((place) => asked.get(place)?.request ?? null)).then(
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
      if (!present.delete(place)) return;
      if (present.size === 0) empty();
      else stepWhenAllAsked();
    },
  }));
}
