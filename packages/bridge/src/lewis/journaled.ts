/**
 * Replies of a listener or a speaker that runs elsewhere, written down before they are used, in the form of an expert's: a run that goes on is answered from them what it
 * was answered before it was killed, whoever listens by then. One entry is one call; equal calls have one each.
 */
import { EmacError } from '@emac/core';
import { sha256 } from '@emac/files';
import type { Listener, Speaker } from '@emac/lewis';
import { z } from 'zod';
import { parsedJson } from '../wire/json-exchange.ts';

/** A journal of an expert's replies takes and gives it (`openReplyJournal` of `@emac/expert`). */
export interface JournaledReply {
  readonly v: 1;
  /** SHA-256 (hex) of what was asked */
  readonly request: string;
  /** who answered: its identity when the answer was there */
  readonly model: string;
  /** the answers as JSON */
  readonly text: string;
  readonly promptTokens: 0;
  readonly completionTokens: 0;
}

export interface AnswerJournal {
  /** stores an entry durably before it returns */
  append(entry: JournaledReply): Promise<void> | void;
  /** the oldest entry for a request that is recorded and not used since the run was resumed; each at most once */
  take?(request: string): Promise<{ readonly text: string } | null> | { readonly text: string } | null;
}

/** Errors of `score`: the listener's and the journal's; `data` for an entry that does not answer what was asked. */
export function journaledListener(listener: Listener, journal: AnswerJournal): Listener {
  const score = journaled('score', journal, {
    form: z.array(z.array(z.number().min(0).max(1))),
    identity: () => listener.identity(),
    ask: (items: Parameters<Listener['score']>[0]) => listener.score(items),
    lengths: (items) => items.map(({ candidates }) => candidates.length),
    given: (answers) => answers.map((each) => each.length),
  });
  return { identity: () => listener.identity(), score };
}

/** As `journaledListener`. */
export function journaledSpeaker(speaker: Speaker, journal: AnswerJournal): Speaker {
  const describe = journaled('describe', journal, {
    form: z.array(z.string()),
    identity: () => speaker.identity(),
    ask: (items: Parameters<Speaker['describe']>[0]) => speaker.describe(items),
    lengths: (items) => [items.length],
    given: (answers) => [answers.length],
  });
  return { identity: () => speaker.identity(), describe };
}

interface Asked<Items, Answers> {
  readonly form: z.ZodType<Answers>;
  identity(): Promise<string>;
  ask(items: Items): Promise<Answers>;
  /** how many answers there must be, and how many there are */
  readonly lengths: (items: Items) => readonly number[];
  readonly given: (answers: Answers) => readonly number[];
}

function journaled<Items, Answers>(
  kind: 'score' | 'describe',
  journal: AnswerJournal,
  { form, identity, ask, lengths, given }: Asked<Items, Answers>,
): (items: Items) => Promise<Answers> {
  return async (items) => {
    const request = sha256(JSON.stringify([1, kind, items]));
    const again = await journal.take?.(request);
    if (again) {
      const { data } = form.safeParse(parsedJson(again.text));
      if (data !== undefined && String(given(data)) === String(lengths(items))) return data;
      throw new EmacError('data', `journal of replies: an entry for request ${request} is no answer to it`);
    }
    const answers = await ask(items);
    const [v, promptTokens, completionTokens] = [1, 0, 0] as const;
    const text = JSON.stringify(answers);
    await journal.append({ v, request, model: await identity(), text, promptTokens, completionTokens });
    return answers;
  };
}
