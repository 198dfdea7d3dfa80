/**
 * The sampling settings in a request. Without a temperature, or at 0, the agent's own way applies, as in `emac eval`.
 */
import { isTemperature, leastTemperature, Random, type Sampling } from '@emac/core';
import { z } from 'zod';

/** The fields, under OpenAI's names. */
export const samplingFields = {
  temperature: z
    .number()
    .min(0)
    .max(2)
    .refine((given) => given === 0 || isTemperature(given), `must be 0, or at least ${leastTemperature}`)
    .nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  seed: z.number().int().nullish(),
};

export type AskedSampling = { readonly [Name in keyof typeof samplingFields]?: number | null | undefined };

/** A source of generators for sampled answers without a seed. */
export interface Draws {
  next(): Random;
}

/** A sequence of independent generators. */
export function draws(random: Random): Draws {
  let count = 0;
  return { next: () => random.stream(count++) };
}

/** Sampling and generator of a request: seeded by the request, else the next one. */
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
