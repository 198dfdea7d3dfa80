/** Refuses impossible inference-server settings before a model is opened. */
import { EmacError } from '@emac/core';
import type { PpoConfig } from '@emac/settings';

type Judged = Pick<PpoConfig, 'trained' | 'inference' | 'optimization'>;

/**
 * Errors: `usage` for a server without a folder, for parts an adapter's folder cannot hold, and
 * for stale policies.
 */
export function requireFittingInference(config: Judged): void {
  const { inference, trained, optimization } = config;
  const { url, adapters } = inference;
  if (url === null) return;
  if (adapters === null)
    throw refusal(
      '--inference: needs --inference-adapters, a folder visible to the server under the same path',
    );
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

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}
