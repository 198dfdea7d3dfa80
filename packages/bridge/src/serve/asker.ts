/** Turns requests into questions of the policy, batches them, and returns answers. */
import { EmacError, type Answer, type Question, type Random, type Sampling } from '@emac/core';
import { batches } from '../server/batches.ts';
import { gate } from './gate.ts';
import type { Measures } from './measures.ts';
import { framesOf } from './pictures.ts';
import type { RefusedRequest } from '../server/refusal.ts';
import { wrongField } from './refused-request.ts';
import { draws, sampledBy, type AskedSampling } from './sampled.ts';
import type { ServedAgent, Situation } from './served-agent.ts';

export interface AskerOptions {
  readonly agent: ServedAgent;
  /** questions per batch, at most */
  readonly batch: number;
  /** for sampled answers without a seed */
  readonly random: Random;
}

export interface Asker {
  /**
   * Errors: a `RefusedRequest` for invalid pictures, missing commands and prompts that are too long; those of the
   * agent.
   */
  ask(asked: Asked, how: How): Promise<Answered>;
  /** questions waiting for their batch */
  readonly waiting: number;
}

export interface Answered {
  readonly answer: Answer;
  /** the text of each token */
  readonly texts: readonly string[];
  /** texts at which the policy itself ends an answer */
  readonly stop: readonly string[];
  /** of the prompt's text */
  readonly promptTokens: number;
}

/** pictures encoded at the same time; their sessions work one after another */
const encoding = 4;

export interface Asked extends Omit<Situation, 'frames'> {
  /** data URLs */
  readonly pictures: readonly string[];
  /** names of these fields in the request */
  readonly fields: { readonly pictures: string; readonly admissible: string };
}

export interface How extends AskedSampling {
  readonly admissibleOnly?: boolean;
  readonly signal: AbortSignal;
}

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
  const ask: Asker['ask'] = async ({ pictures, fields, ...known }, how) => {
    const chosen: { sampling: Sampling; random: Random | null } = sampledBy(how, {
      sampling: agent.sampling,
      draws: drawing,
    });
    const { admissibleOnly, signal } = how;
    if ((admissibleOnly ?? agent.admissibleOnly) && !known.admissible?.length)
      throw wrongField(
        fields.admissible,
        `${fields.admissible}: must list one or more commands that are accepted now; the answer is one of them`,
      );
    const question = await oneByOne(async () => {
      const frames = await framesOf(pictures, fields.pictures);
      return agent.question(
        { ...known, frames },
        { random: chosen.random, ...(admissibleOnly !== undefined && { admissibleOnly }) },
      );
    });
    const promptTokens = policy.countPromptTokens(textOf(question));
    const answer = await queue.ask({ question, sampling: chosen.sampling }, signal).catch((thrown) => {
      throw isTooLong(thrown) ? tooLong(promptTokens) : thrown;
    });
    measured.tokens(answer.tokens.length);
    return { answer, texts: agent.tokenTexts(answer.tokens), stop: question.stop ?? [], promptTokens };
  };
  return {
    ask,
    get waiting() {
      return queue.waiting;
    },
  };
}

function textOf({ prompt }: Question): string {
  return prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

/** The only error of a policy's decision caused by a question; its message is for the server's log. */
function isTooLong(thrown: unknown): boolean {
  return thrown instanceof EmacError && thrown.code === 'data';
}

function tooLong(promptTokens: number): RefusedRequest {
  return wrongField(
    null,
    `The prompt has ${promptTokens} tokens and leaves the model no room for an answer; shorten it.`,
  );
}
