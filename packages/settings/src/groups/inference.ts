/** The inference server that answers during training, and the checks on its answers. */
import { given, positive, textOrNull } from '@emac/algorithms';
import { z } from 'zod';

export const inferenceSchema = z.strictObject({
  url: textOrNull
    .describe(
      'a model: sample training answers from this vLLM-like server, such as http://127.0.0.1:8000; evaluations stay local',
    )
    .meta(given('inference', { when: 'model' })),
  adapters: textOrNull
    .describe(
      '--inference: folder for the versions of the adapter, visible to the server under the same path',
    )
    .meta(given('inference-adapters', { when: 'server', path: 'any' })),
  maxGap: positive
    .default(0.05)
    .describe(
      '--inference: largest allowed mean difference to the server’s log-probabilities, in nats per token',
    )
    .meta(given('inference-max-gap', { when: 'server' })),
  logprobs: z
    .enum(['raw', 'processed'])
    .default('raw')
    .describe('--inference: the server’s --logprobs-mode: log-probabilities before or after the temperature')
    .meta(given('inference-logprobs', { when: 'server' })),
});
