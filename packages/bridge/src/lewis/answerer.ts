/**
 * What a listener and a speaker have in common: questions about one picture each, and of every answer under which identity it was given. Queue, cache and
 * wire are written for that, once for both; an identity that changes while they work is never mixed with another.
 */
import { EmacError } from '@emac/core';
import type { Listener, ListenerItem, Speaker } from '@emac/lewis';

export interface PictureQuestion {
  /** its name */
  readonly picture: string;
  readonly question: string;
}

export interface Given<T> {
  readonly answer: T;
  /** of the model that gave it, and of what it had learned then */
  readonly identity: string;
}

export interface Answerer<T> {
  /** asked for anew each time */
  identity(): Promise<string>;
  /** one answer for each question, in order; not all of them need be of one identity */
  ask(questions: readonly PictureQuestion[]): Promise<readonly Given<T>[]>;
}

/** A listener whose answers tell their identity. */
export interface AnsweringListener extends Listener {
  readonly answerer: Answerer<number>;
}

/** A speaker whose answers tell their identity. */
export interface AnsweringSpeaker extends Speaker {
  readonly answerer: Answerer<string>;
}

/** `score` gives answers of one identity alone. Its errors: the answerer's, `unavailable` where the identity changes faster than it answers. */
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

/** What answers for a listener: its own answerer where it has one. One call of `score` is made for each `ask`. */
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

/** What answers for a speaker: its own answerer where it has one. One call of `describe` is made for each `ask`. */
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

/** Neighbours with the same question as one item. */
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

/** Answers count where the identity was the same before and after. */
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

/** Asks again until all answers are of one identity. */
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

/** of asking again because of an identity that changed */
export const mostTries = 5;

export function changing(): EmacError {
  return new EmacError(
    'unavailable',
    `identity: was another one after each of ${mostTries} tries; ask when the model stays`,
  );
}
