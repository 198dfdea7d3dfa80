/** The inference server that answers during training, and the checks on its answers. */
import { given } from '@emac/algorithms';
import { z } from 'zod';

export const inferenceSchema = z.strictObject({
  url: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'a model: the address of an OpenAI-compatible server of vLLM’s kind that answers in training, such as http://127.0.0.1:8000; evaluations stay here',
    )
    .meta(given('inference')),
  adapters: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      '--inference: the folder in which each version of the adapter is written, seen by the server under the same path',
    )
    .meta(given('inference-adapters')),
  maxGap: z
    .number()
    .positive()
    .max(1_000_000)
    .default(0.05)
    .describe(
      '--inference: how far the server’s log-probabilities may be from those here, in nats, the mean over the tokens of an update',
    )
    .meta(given('inference-max-gap')),
  logprobs: z
    .enum(['raw', 'processed'])
    .default('raw')
    .describe('--inference: what these are of, its --logprobs-mode: before or after the temperature')
    .meta(given('inference-logprobs')),
});
