/** From what is asked to questions of the policy, and from these, in batches, to answers. */
import type { Answer, Random, Sampling } from '@emac/core';
import { batches } from './batches.ts';
import { gate } from './gate.ts';
import type { Measures } from './measures.ts';
import { framesOf } from './pictures.ts';
import { draws, sampledBy, type AskedSampling } from './sampled.ts';
import type { ServedAgent, Situation } from './served-agent.ts';

export interface AskerOptions {
  readonly agent: ServedAgent;
  /** questions decided together, at most */
  readonly batch: number;
  /** of answers that are drawn without a seed */
  readonly random: Random;
}

export interface Asker {
  /** Errors: a `RefusedRequest` for pictures that are none; those of the agent. */
  ask(asked: Asked, how: How): Promise<Answered>;
  /** questions that wait for their batch */
  readonly waiting: number;
}

export interface Answered {
  readonly answer: Answer;
  /** what each of its tokens adds to its text */
  readonly texts: readonly string[];
  /** of the prompt's text */
  readonly promptTokens: number;
}

/** pictures that are encoded at one time; their sessions work one after the other */
const encoding = 4;

export interface Asked extends Omit<Situation, 'frames'> {
  /** data URLs */
  readonly pictures: readonly string[];
  /** the field that holds them */
  readonly place: string;
}

export interface How extends AskedSampling {
  readonly admissibleOnly?: boolean;
  readonly signal: AbortSignal;
}

/** Asks an agent's policy for many clients; what it does is counted. */
export function asker({ agent, batch, random }: AskerOptions, measured: Measures): Asker {
  const { policy } = agent;
  const queue = batches({ policy, most: batch, onBatch: (questions) => measured.batch(questions) });
  const oneByOne = gate(encoding);
  const drawing = draws(random);
  const ask: Asker['ask'] = async ({ pictures, place, ...known }, how) => {
    const chosen: { sampling: Sampling; random: Random | null } = sampledBy(how, {
      sampling: agent.sampling,
      draws: drawing,
    });
    const { admissibleOnly, signal } = how;
    const question = await oneByOne(async () => {
      const frames = await framesOf(pictures, place);
      return agent.question(
        { ...known, frames },
        { random: chosen.random, ...(admissibleOnly !== undefined && { admissibleOnly }) },
      );
    });
    const answer = await queue.decide(question, { sampling: chosen.sampling, signal });
    measured.tokens(answer.tokens.length);
    const text = question.prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
    return {
      answer,
      texts: agent.tokenTexts(answer.tokens),
      promptTokens: policy.countPromptTokens(text),
    };
  };
  return {
    ask,
    get waiting() {
      return queue.waiting;
    },
  };
}
