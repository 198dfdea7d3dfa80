/**
 * The common interface of listener and speaker: questions about one picture each, and answers with the identity of
 * their model. Queue, cache and wire use it for both. Answers of different identities are never mixed.
 */
import { EmacError } from '@emac/core';
import type { Listener, ListenerItem, Speaker } from '@emac/lewis';

export interface PictureQuestion {
  /** picture name */
  readonly picture: string;
  readonly question: string;
}

export interface Given<T> {
  readonly answer: T;
  /** of the answering model, including its trained parameters */
  readonly identity: string;
}

export interface Answerer<T> {
  /** requested anew each time */
  identity(): Promise<string>;
  /** one answer per question, in order; identities may differ */
  ask(questions: readonly PictureQuestion[]): Promise<readonly Given<T>[]>;
}

/** A listener whose answers include their identity. */
export interface AnsweringListener extends Listener {
  readonly answerer: Answerer<number>;
}

/** A speaker whose answers include their identity. */
export interface AnsweringSpeaker extends Speaker {
  readonly answerer: Answerer<string>;
}

/**
 * `score` returns answers of one identity only. Its errors: the answerer's, `unavailable` if the identity changes
 * faster than it answers.
 */
export function listenerOf(answerer: Answerer<number>): AnsweringListener {
  return {
    answerer,
    identity: () => answerer.identity(),
    score: async (items) => {
      const answers = await alike(() => answerer.ask(items.flatMap(questionsOf)));
      let place = 0;
      return items.map(({ candidates }) => answers.slice(place, (place += candidates.length)));
    },
  };
}

/** As `listenerOf`. */
export function speakerOf(answerer: Answerer<string>): AnsweringSpeaker {
  return {
    answerer,
    identity: () => answerer.identity(),
    describe: (items) =>
      alike(() => answerer.ask(items.map(({ image, question }) => ({ picture: image, question })))),
  };
}

/** The listener's own answerer if it has one, else one around it. `score` is called once per `ask`. */
export function listenerAnswerer(listener: Listener | AnsweringListener): Answerer<number> {
  if ('answerer' in listener) return listener.answerer;
  return betweenIdentities(listener, async (questions) => {
    const items = itemsOf(questions);
    const scores = (await listener.score(items)).flat();
    requireCount('listener', scores.length, questions.length);
    const wrong = scores.filter((score) => !(score >= 0 && score <= 1));
    if (wrong.length > 0)
      throw new EmacError('internal', `listener: a probability is from 0 to 1, got ${wrong[0]}`);
    return scores;
  });
}

/** The speaker's own answerer if it has one, else one around it. `describe` is called once per `ask`. */
export function speakerAnswerer(speaker: Speaker | AnsweringSpeaker): Answerer<string> {
  if ('answerer' in speaker) return speaker.answerer;
  return betweenIdentities(speaker, async (questions) => {
    const said = await speaker.describe(
      questions.map(({ picture, question }) => ({ image: picture, question })),
    );
    requireCount('speaker', said.length, questions.length);
    return said;
  });
}

export function questionsOf({ candidates, question }: ListenerItem): readonly PictureQuestion[] {
  return candidates.map((picture) => ({ picture, question }));
}

/** Merges neighbours with the same question into one item. */
export function itemsOf(questions: readonly PictureQuestion[]): readonly ListenerItem[] {
  const items: { readonly candidates: string[]; readonly question: string }[] = [];
  for (const { picture, question } of questions) {
    const last = items.at(-1);
    if (last?.question === question) last.candidates.push(picture);
    else items.push({ candidates: [picture], question });
  }
  return items;
}

function requireCount(who: string, got: number, asked: number): void {
  if (got !== asked)
    throw new EmacError('internal', `${who}: must answer ${asked} questions, gave ${got} answers`);
}

/** Accepts answers only if the identity was the same before and after. */
function betweenIdentities<T>(
  { identity }: { identity(): Promise<string> },
  answer: (questions: readonly PictureQuestion[]) => Promise<readonly T[]>,
): Answerer<T> {
  return {
    identity,
    async ask(questions) {
      for (let tries = 0; tries < mostTries; tries++) {
        const before = await identity();
        const answers = await answer(questions);
        if ((await identity()) === before) return answers.map((each) => ({ answer: each, identity: before }));
      }
      throw changing();
    },
  };
}

/** Repeats the request until all answers are of one identity. */
async function alike<T>(ask: () => Promise<readonly Given<T>[]>): Promise<readonly T[]> {
  for (let tries = 0; tries < mostTries; tries++) {
    const given = await ask();
    if (isOfOne(given)) return given.map(({ answer }) => answer);
  }
  throw changing();
}

export function isOfOne(given: readonly Given<unknown>[]): boolean {
  return given.every(({ identity }) => identity === given[0]!.identity);
}

/** repeats after an identity change */
export const mostTries = 5;

export function changing(): EmacError {
  return new EmacError(
    'unavailable',
    `identity: changed after each of ${mostTries} tries; try again when the model no longer changes`,
  );
}
