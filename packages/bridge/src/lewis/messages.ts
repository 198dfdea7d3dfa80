/**
 * The request and reply bodies of the published services. Required fields are checked; extra fields are accepted
 * (`topk` is read and ignored). Without an answer, replies add an `error` to the fields published clients read.
 */
import type { PictureQuestion } from '@emac/lewis';
import { z } from 'zod';

const bounds = { question: 100_000, name: 12 * 1024 * 1024, candidates: 1024, batch: 1024 };

export const itemSchema = z.object({
  candidate_paths: z.array(z.string().max(bounds.name)).max(bounds.candidates),
  question: z.string().max(bounds.question),
});
export const batchSchema = z.object({ batch: z.array(itemSchema).max(bounds.batch) });

export type AskedItem = z.infer<typeof itemSchema>;

/** pictures per request */
export const mostPictures = 4096;

export const scoresSchema = z.object({
  yes_probabilities: z.array(z.number().min(0).max(1)),
  predicted_index: z.number().optional(),
  error: z.string().optional(),
});

export const descriptionsSchema = z.object({
  descriptions: z.array(z.string()),
  error: z.string().optional(),
});

export const healthSchema = z.object({ status: z.literal('ok'), identity: z.string().min(1).optional() });

/** header with the model's identity in every reply, encoded by `encodeURI` */
export const identityHeader = 'x-emac-identity';

/** Merges neighbours with the same question into one item. */
export function itemsOf(questions: readonly PictureQuestion[]) {
  const items: { readonly candidates: string[]; readonly question: string }[] = [];
  for (const { picture, question } of questions) {
    const last = items.at(-1);
    if (last?.question === question) last.candidates.push(picture);
    else items.push({ candidates: [picture], question });
  }
  return items;
}
