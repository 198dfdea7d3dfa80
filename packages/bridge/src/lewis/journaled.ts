/**
 * Journals the answers of a remote listener or speaker before use, in the form of an expert's journal. A resumed run
 * gets its old answers, whichever model answers by then. One entry is one call of a listener, or one picture described
 * by a speaker.
 */
import { EmacError } from '@emac/core';
import { sha256 } from '@emac/files';
import type { Listener, Speaker } from '@emac/lewis';
import { z } from 'zod';
import { parsedJson } from '../wire/json-exchange.ts';
import { itemsOf } from './messages.ts';

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

type Reply = Pick<JournaledReply, 'model' | 'text'>;

export interface AnswerJournal {
  /** stores an entry durably before it returns */
  append(entry: JournaledReply): Promise<void> | void;
  /** an entry used before the run's checkpoint, which is not requested again */
  known?(request: string): Reply | null;
  /** the oldest recorded entry for a request not used since the run was resumed; each at most once */
  take?(request: string): Promise<Reply | null> | Reply | null;
}

/** Errors of `ask`: the listener's and the journal's; `data` for an entry that does not fit its request. */
export function journaledListener(listener: Listener, journal: AnswerJournal): Listener {
  return {
    identity: () => listener.identity(),
    ask: async (questions) => {
      const items = itemsOf(questions);
      const request = requestOf('score', items);
      const again = await journal.take?.(request);
      if (again) {
        const answers = read(scoresForm, again.text, request).flat();
        if (answers.length === questions.length) return { answers, identity: again.model };
        throw noAnswer(request);
      }
      const asked = await listener.ask(questions);
      let next = 0;
      const scores = items.map(({ candidates }) => asked.answers.slice(next, (next += candidates.length)));
      await journal.append(entryOf(request, asked.identity, scores));
      return asked;
    },
  };
}

const scoresForm = z.array(z.array(z.number().min(0).max(1)));

/**
 * Like `journaledListener`, but per picture and question: each is asked once in a run, even after a kill. Its answers
 * may be of several models.
 */
export function journaledSpeaker(speaker: Speaker, journal: AnswerJournal): Speaker {
  const said = new Map<string, { readonly text: string; readonly identity: string }>();
  const remember = async (request: string): Promise<void> => {
    const reply = journal.known?.(request) ?? (await journal.take?.(request));
    if (reply)
      said.set(request, { text: read(descriptionForm, reply.text, request)[0], identity: reply.model });
  };
  return {
    identity: () => speaker.identity(),
    ask: async (questions) => {
      const asked = questions.map((each) => {
        const item = { image: each.picture, question: each.question };
        return [requestOf('describe', [item]), each] as const;
      });
      for (const [request] of asked) if (!said.has(request)) await remember(request);
      const open = new Map(asked.filter(([request]) => !said.has(request)));
      if (open.size > 0) {
        const { answers, identity } = await speaker.ask([...open.values()]);
        for (const [place, request] of [...open.keys()].entries()) {
          const text = answers[place]!;
          await journal.append(entryOf(request, identity, [text]));
          said.set(request, { text, identity });
        }
      }
      const replies = asked.map(([request]) => said.get(request)!);
      const identities = new Set(replies.map(({ identity }) => identity));
      return { answers: replies.map(({ text }) => text), identity: [...identities].join(', ') };
    },
  };
}

const descriptionForm = z.tuple([z.string()]);

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
