/** Refuses impossible inference-server settings before a model is opened. */
import { EmacError } from '@emac/core';
import { inferenceSchema, smallNetworkOf, type PpoConfig } from '@emac/settings';

type Judged = Pick<PpoConfig, 'policy' | 'trained' | 'inference' | 'optimization'>;

/**
 * Errors: `usage` for one flag without the other, for a small network, for parts an adapter's folder cannot hold, and
 * for stale policies.
 */
export function requireFittingInference(config: Judged): void {
  const { inference, policy, trained, optimization } = config;
  const { url, adapters } = inference;
  if (url === null && adapters === null) return requireNothingOf(inference);
  if (url === null || adapters === null)
    throw refusal(
      url === null
        ? '--inference-adapters: belongs to --inference, which was not given'
        : '--inference: needs --inference-adapters, a folder visible to the server under the same path',
    );
  if (smallNetworkOf(config))
    throw refusal(`--inference: needs a vision-language model, got --policy ${policy}; leave it out`);
  const { maxStaleness } = optimization;
  if (maxStaleness > 0)
    throw refusal(
      `--inference: the server holds the newest adapter only, but --max-staleness ${maxStaleness} acts with older ones; give one of the two`,
    );
  if (trained.parts !== 'lora')
    throw refusal(
      `--inference: sends an adapter only, but --train ${trained.parts} also changes the projection; give --train lora`,
    );
}

/** Refuses settings that only make sense with a server. */
function requireNothingOf({ maxGap, logprobs }: PpoConfig['inference']): void {
  const { maxGap: usualGap, logprobs: usual } = inferenceSchema.parse({});
  const flags = [
    maxGap !== usualGap && '--inference-max-gap',
    logprobs !== usual && '--inference-logprobs',
  ].filter(Boolean);
  if (flags[0]) throw refusal(`${flags[0]}: belongs to --inference, which was not given`);
}

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}
