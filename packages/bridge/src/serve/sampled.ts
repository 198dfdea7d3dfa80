/** How an answer is to be chosen, as requests say it. Without a temperature, or at 0, it is the agent's own way, as `emac eval` plays it. */
import { Random, type Sampling } from '@emac/core';
import { z } from 'zod';

/** The fields, under OpenAI's names. */
export const samplingFields = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  seed: z.number().int().nullish(),
};

export type AskedSampling = { readonly [Name in keyof typeof samplingFields]?: number | null | undefined };

/** A source of generators for answers that are drawn without a seed. */
export interface Draws {
  next(): Random;
}

/** Generators one after the other, each independent of the others. */
export function draws(random: Random): Draws {
  let count = 0;
  return { next: () => random.stream(count++) };
}

/** The way of choosing, and what an answer is drawn with: a generator of the request's seed, else the next one. */
export function sampledBy(
  { temperature, top_p: topP, seed }: AskedSampling,
  { sampling, draws }: { readonly sampling: Sampling; readonly draws: Draws },
): { readonly sampling: Sampling; readonly random: Random | null } {
  if (!temperature) return { sampling, random: null };
  return {
    sampling: { kind: 'sample', temperature, topP: topP ?? 1 },
    random: seed == null ? draws.next() : Random.fromSeed(seed),
  };
}
