/**
 * Journals the replies of a remote listener or speaker before use, in the form of an expert's journal. A resumed run
 * gets its old answers, whichever model answers by then. One entry is one listener call, or one picture described by a
 * speaker.
 */
import { EmacError } from '@emac/core';
import { sha256 } from '@emac/files';
import type { Listener, Speaker } from '@emac/lewis';
import { z } from 'zod';
import { parsedJson } from '../wire/json-exchange.ts';

/** An entry of an expert's reply journal (`openReplyJournal` of `@emac/expert`). */
export interface JournaledReply {
  readonly v: 1;
  /** SHA-256 (hex) of the request */
  readonly request: string;
  /** identity of the answering model */
  readonly model: string;
  /** the answers as JSON */
  readonly text: string;
  readonly promptTokens: 0;
  readonly completionTokens: 0;
}

export interface AnswerJournal {
  /** stores an entry durably before it returns */
  append(entry: JournaledReply): Promise<void> | void;
  /** the text of an entry used before the run's checkpoint, which is not requested again */
  known?(request: string): string | null;
  /** the oldest recorded entry for a request not used since the run was resumed; each at most once */
  take?(request: string): Promise<{ readonly text: string } | null> | { readonly text: string } | null;
}

/** Errors of `score`: the listener's and the journal's; `data` for an entry that does not fit its request. */
export function journaledListener(listener: Listener, journal: AnswerJournal): Listener {
  return {
    identity: () => listener.identity(),
    score: async (items) => {
      const request = requestOf('score', items);
      const again = await journal.take?.(request);
      if (again) {
        const scores = read(z.array(z.array(z.number().min(0).max(1))), again.text, request);
        const lengths = items.map(({ candidates }) => candidates.length);
        if (String(scores.map(({ length }) => length)) === String(lengths)) return scores;
        throw noAnswer(request);
      }
      const scores = await listener.score(items);
      await journal.append(entryOf(request, await listener.identity(), scores));
      return scores;
    },
  };
}

/** Like `journaledListener`, but per picture and question: each is asked once in a run, even after a kill. */
export function journaledSpeaker(speaker: Speaker, journal: AnswerJournal): Speaker {
  const said = new Map<string, string>();
  const remember = async (request: string): Promise<void> => {
    const text = journal.known?.(request) ?? (await journal.take?.(request))?.text ?? null;
    if (text !== null) said.set(request, read(z.tuple([z.string()]), text, request)[0]);
  };
  return {
    identity: () => speaker.identity(),
    describe: async (items) => {
      const requests = items.map((item) => requestOf('describe', [item]));
      for (const request of requests) if (!said.has(request)) await remember(request);
      const open = new Map(items.map((item, place) => [requests[place]!, item] as const));
      for (const request of said.keys()) open.delete(request);
      const found = open.size > 0 ? await speaker.describe([...open.values()]) : [];
      for (const [place, request] of [...open.keys()].entries()) {
        await journal.append(entryOf(request, await speaker.identity(), [found[place]!]));
        said.set(request, found[place]!);
      }
      return requests.map((request) => said.get(request)!);
    },
  };
}

function requestOf(kind: 'score' | 'describe', items: readonly unknown[]): string {
  return sha256(JSON.stringify([1, kind, items]));
}

function entryOf(request: string, model: string, answers: readonly unknown[]): JournaledReply {
  const [v, promptTokens, completionTokens] = [1, 0, 0] as const;
  return { v, request, model, text: JSON.stringify(answers), promptTokens, completionTokens };
}

function read<T>(form: z.ZodType<T>, text: string, request: string): T {
  const { data } = form.safeParse(parsedJson(text));
  if (data === undefined) throw noAnswer(request);
  return data;
}

function noAnswer(request: string): EmacError {
  return new EmacError('data', `journal of replies: the entry for request ${request} does not answer it`);
}
