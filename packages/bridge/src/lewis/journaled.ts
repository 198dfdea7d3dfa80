/**
 * Replies of a listener or a speaker that runs elsewhere, written down before they are used, in the form of an expert's: a run that goes on is answered from them what it
 * was answered before it was killed, whoever listens by then. One entry is one call of a listener, or one picture that a speaker described.
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
  /** the text of an entry that was used before the run's checkpoint: what was said once is not asked again */
  known?(request: string): string | null;
  /** the oldest entry for a request that is recorded and not used since the run was resumed; each at most once */
  take?(request: string): Promise<{ readonly text: string } | null> | { readonly text: string } | null;
}

/** Errors of `score`: the listener's and the journal's; `data` for an entry that does not answer what was asked. */
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

/** As `journaledListener`, but each picture and question apart: what was said of it once in a run is not asked again, not even after a kill. */
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
  return new EmacError('data', `journal of replies: an entry for request ${request} is no answer to it`);
}
