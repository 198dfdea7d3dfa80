/** Turns requests into questions of the policy, batches them, and returns answers. */
import { setMaxListeners } from 'node:events';
import { EmacError, type Answer, type Frame, type Question, type Random, type Sampling } from '@emac/core';
import { batches } from '../server/batches.ts';
import { gate } from './gate.ts';
import type { Measures } from './measures.ts';
import { framesOf } from './pictures.ts';
import type { RefusedRequest } from '../server/refusal.ts';
import { orWrongField, wrongField } from './refused-request.ts';
import { draws, sampledBy, type AskedSampling } from './sampled.ts';
import type { ServedAgent } from './served-agent.ts';

export interface AskerOptions {
  readonly agent: ServedAgent;
  /** questions per batch, at most */
  readonly batch: number;
  /** for sampled answers without a seed */
  readonly random: Random;
}

export interface Asker {
  /**
   * Errors: a `RefusedRequest` for invalid pictures, messages that a chat template refuses, and prompts that are too long; those of
   * the agent.
   */
  ask(asked: Asked, how: How): Promise<Answered>;
  /** questions waiting for their batch */
  readonly waiting: number;
}

export interface Asked {
  /** data URLs */
  readonly pictures: readonly string[];
  /** the field of the request that holds texts and pictures */
  readonly param: string;
  question(frames: readonly Frame[], random: Random | null): Promise<Question>;
}

export interface How extends AskedSampling {
  /** independent answers; default 1 */
  readonly count?: number;
  readonly signal: AbortSignal;
}

export interface Answered {
  /** as many as asked for */
  readonly answers: readonly {
    readonly answer: Answer;
    /** the text of each token */
    readonly texts: readonly string[];
  }[];
  /** texts at which the policy itself ends an answer */
  readonly stop: readonly string[];
  /** of the prompt's text */
  readonly promptTokens: number;
}

/** pictures encoded at the same time; their sessions work one after another */
const encoding = 4;

/** Asks an agent's policy for many clients, and counts the work. */
export function asker({ agent, batch, random }: AskerOptions, measured: Measures): Asker {
  const { policy } = agent;
  const queue = batches({
    answer: (all: readonly { readonly question: Question; readonly sampling: Sampling }[]) =>
      policy.decide(
        all.map(({ question }) => question),
        all[0]!.sampling,
      ),
    groupOf: ({ sampling }) => JSON.stringify(sampling),
    most: batch,
    onBatch: (questions) => measured.batch(questions),
  });
  const oneByOne = gate(encoding);
  const drawing = draws(random);
  const ask: Asker['ask'] = async (asked, { count = 1, signal, ...how }) => {
    const { sampling, random: drawn } = sampledBy(how, { sampling: agent.sampling, draws: drawing });
    const question = await oneByOne(async () =>
      asked.question(await framesOf(asked.pictures, asked.param), drawn),
    );
    const promptTokens = orWrongField(asked.param, () => policy.countPromptTokens(textOf(question)));
    const questions = Array.from({ length: count }, (_, place) =>
      place === 0 ? question : { ...question, random: drawn!.stream(`choice ${place}`) },
    );
    const gone = followed(signal, count);
    const asking = questions.map((each) => queue.ask({ question: each, sampling }, gone));
    const answers = await Promise.all(asking).catch((thrown) => {
      if (isTooLong(thrown)) throw tooLong(promptTokens);
      throw isOutOfReach(thrown, question) ? outOfReach() : thrown;
    });
    answers.forEach(({ tokens }) => measured.tokens(tokens.length));
    return {
      answers: answers.map((answer) => ({ answer, texts: agent.tokenTexts(answer.tokens) })),
      stop: question.stop ?? [],
      promptTokens,
    };
  };
  return {
    ask,
    get waiting() {
      return queue.waiting;
    },
  };
}

/** The same signal for many listeners. */
function followed(signal: AbortSignal, count: number): AbortSignal {
  if (count === 1) return signal;
  const gone = new AbortController();
  setMaxListeners(count, gone.signal);
  const leave = (): void => gone.abort(signal.reason);
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  return gone.signal;
}

function textOf({ prompt }: Question): string {
  return prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

/** An error of a policy's decision caused by a question; its message is for the server's log. */
function isTooLong(thrown: unknown): boolean {
  return thrown instanceof EmacError && thrown.code === 'data';
}

/** No answer that the question allows fits into the tokens of an answer. */
function isOutOfReach(thrown: unknown, { allowed }: Question): boolean {
  return allowed !== null && thrown instanceof EmacError && thrown.code === 'usage';
}

function outOfReach(): RefusedRequest {
  return wrongField(
    'admissible',
    'admissible: every command is longer than the longest answer of this model; list shorter ones.',
  );
}

function tooLong(promptTokens: number): RefusedRequest {
  return wrongField(
    null,
    `The prompt has ${promptTokens} tokens and leaves the model no room for an answer; shorten it.`,
  );
}
