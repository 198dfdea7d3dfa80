/** A speaker and a listener over a vision-language model, with the published services' questions. */
import { EmacError, promptOf, type Policy, type Prompt, type Random, type Scorer } from '@emac/core';
import { sightOf } from '@emac/rollout';
import {
  reasonedQuestion,
  yesProbability,
  type LewisPlayer,
  type Listener,
  type PictureQuestion,
  type Speaker,
} from '@emac/lewis';
import type { Pictures } from './pictures.ts';

export interface ModelAgent {
  readonly policy: Policy & Scorer;
  readonly pictures: Pictures;
  /** of the model and its trained parameters */
  readonly identity: string;
  /** prompts that are answered side by side: changes the speed alone */
  readonly atOnce: number;
}

/**
 * The place of a listener's probability of "yes": `first`: at the beginning of its answer, as in the published service;
 * `reasons`: in the verdict after its reasons, as trained.
 */
export type ListenerReading = 'first' | 'reasons';

/** Sampling of a speaker's words. */
export interface Drawing {
  readonly temperature: number;
  /** each picture has its own stream, by name */
  readonly random: Random;
}

/** Answers greedily, as published, or samples. */
export function modelSpeaker(agent: ModelAgent, drawing: Drawing | null = null): Speaker {
  const { policy, identity } = agent;
  if (!drawing) return player(agent, identity, (prompts) => likeliest(policy, prompts));
  const { temperature, random } = drawing;
  return player(agent, `${identity} at ${temperature}`, async (prompts, asked) => {
    const questions = prompts.map((prompt, place) => ({
      prompt,
      allowed: null,
      random: random.stream(asked[place]!.picture),
    }));
    const answers = await policy.decide(questions, { kind: 'sample', temperature, topP: 1 });
    return answers.map(({ text }) => text);
  });
}

/** The probability of "yes" beside "no" for every candidate alone, so that their order changes nothing. */
export function modelListener(agent: ModelAgent, reading: ListenerReading): Listener {
  const identity = `${agent.identity} ${reading}`;
  if (reading === 'first') return player(agent, identity, (prompts) => atFirst(agent.policy, prompts));
  const { ask, ...listener } = player(agent, identity, (prompts) => afterReasons(agent.policy, prompts));
  const reasoned = ({ picture, question }: PictureQuestion) => ({
    picture,
    question: reasonedQuestion(question),
  });
  return { ...listener, ask: (questions) => ask(questions.map(reasoned)) };
}

/** Answers so many prompts side by side, each a picture and its question. */
function player<T>(
  { policy, pictures, atOnce }: ModelAgent,
  identity: string,
  answer: (prompts: readonly Prompt[], asked: readonly PictureQuestion[]) => Promise<readonly T[]>,
): LewisPlayer<T> {
  const shown = async ({ picture, question }: PictureQuestion): Promise<Prompt> =>
    promptOf([await sightOf(policy, await pictures(picture))], question);
  return {
    identity: async () => identity,
    ask: async (questions) => {
      const answers: T[] = [];
      for (let start = 0; start < questions.length; start += atOnce) {
        const some = questions.slice(start, start + atOnce);
        answers.push(...(await answer(await Promise.all(some.map(shown)), some)));
      }
      return { answers, identity };
    },
  };
}

/**
 * At the first token that differs: after a question ending in a bare word, some tokenizers begin both words with a
 * joining token. Errors: `usage` if both words are the same tokens.
 */
async function atFirst(policy: Scorer, prompts: readonly Prompt[]): Promise<number[]> {
  const scores = await policy.score(prompts.map((prompt) => ({ prompt, answers: ['yes', 'no'] })));
  const places = scores.map(([yes, no]) => yes!.findIndex((value, place) => value !== no![place]));
  if (places.length > 0 && places.every((place) => place < 0))
    throw new EmacError('usage', 'listener: needs a model with different tokens for "yes" and "no"');
  return scores.map(([yes, no], row) => {
    const place = Math.max(0, places[row]!);
    return yesProbability(yes![place]!, no![place]!);
  });
}

/** 0 for an answer without a verdict: it does not say yes. */
async function afterReasons(policy: Policy & Scorer, prompts: readonly Prompt[]): Promise<number[]> {
  const written = await likeliest(policy, prompts);
  const verdicts = written.map((text) => /^([\s\S]*"Answer"\s*:\s*")[^"]*("[\s\S]*)$/.exec(text));
  const told = prompts.flatMap((prompt, place) => {
    const [, before, after] = verdicts[place] ?? [];
    if (before === undefined) return [];
    return [{ prompt, answers: ['yes', 'no'].map((word) => `${before}${word}${after}`) }];
  });
  const scores = (await policy.score(told)).map(([yes, no]) => yesProbability(sum(yes!), sum(no!)));
  let next = 0;
  return verdicts.map((verdict) => (verdict ? scores[next++]! : 0));
}

/** Without drawing. */
async function likeliest(policy: Policy, prompts: readonly Prompt[]): Promise<string[]> {
  const answers = await policy.decide(
    prompts.map((prompt) => ({ prompt, allowed: null, random: null })),
    { kind: 'search', beams: 1 },
  );
  return answers.map(({ text }) => text);
}

function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}
