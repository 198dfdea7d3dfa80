/** A speaker and a listener over a vision-language model, with the published services' questions. */
import { EmacError, promptOf, type Policy, type Prompt, type Random, type Scorer } from '@emac/core';
import { sightOf } from '@emac/rollout';
import { reasonedQuestion, yesProbability, type Listener, type Speaker } from '@emac/lewis';
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
export function modelSpeaker(
  { policy, pictures, identity, atOnce }: ModelAgent,
  drawing: Drawing | null = null,
): Speaker {
  return {
    identity: async () => (drawing ? `${identity} at ${drawing.temperature}` : identity),
    describe: (items) =>
      inTurns(items, atOnce, async (some) => {
        const asked = some.map(({ image, question }) => [image, question] as const);
        const prompts = await promptsOf(policy, pictures, asked);
        if (!drawing) return likeliest(policy, prompts);
        const { temperature, random } = drawing;
        const questions = prompts.map((prompt, place) => ({
          prompt,
          allowed: null,
          random: random.stream(some[place]!.image),
        }));
        const answers = await policy.decide(questions, { kind: 'sample', temperature, topP: 1 });
        return answers.map(({ text }) => text);
      }),
  };
}

/** The probability of "yes" beside "no" for every candidate alone, so that their order changes nothing. */
export function modelListener(agent: ModelAgent, reading: ListenerReading): Listener {
  const { policy, pictures, identity, atOnce } = agent;
  const ask = reading === 'first' ? atFirst : afterReasons;
  return {
    identity: async () => `${identity} ${reading}`,
    score: async (items) => {
      const asked = items.flatMap(({ candidates, question }) =>
        candidates.map((name): [string, string] => [
          name,
          reading === 'first' ? question : reasonedQuestion(question),
        ]),
      );
      const found = await inTurns(asked, atOnce, async (some) =>
        ask(policy, await promptsOf(policy, pictures, some)),
      );
      let next = 0;
      return items.map(({ candidates }) => candidates.map(() => found[next++]!));
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

/** A picture and its question. */
async function promptsOf(
  policy: Policy,
  pictures: Pictures,
  asked: readonly (readonly [name: string, question: string])[],
): Promise<Prompt[]> {
  return Promise.all(
    asked.map(async ([name, question]) => promptOf([await sightOf(policy, await pictures(name))], question)),
  );
}

async function inTurns<T, R>(
  all: readonly T[],
  atOnce: number,
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const found: R[] = [];
  for (let start = 0; start < all.length; start += atOnce)
    found.push(...(await work(all.slice(start, start + atOnce))));
  return found;
}

function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}
