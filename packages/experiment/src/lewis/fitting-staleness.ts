/** Where answers of older policies do not fit: refused before a model is opened. */
import { EmacError } from '@emac/core';
import { isAddress } from '@emac/opening';
import type { GrpoConfig } from '@emac/settings';

/** Errors: `usage` where a service is asked for prompts: its replies are counted update by update, and prompts are asked ahead. */
export function requireFittingStaleness({ role, speaker, optimization }: GrpoConfig): void {
  const { maxStaleness } = optimization;
  if (maxStaleness === 0 || role !== 'listener' || !isAddress(speaker)) return;
  throw new EmacError(
    'usage',
    `--max-staleness ${maxStaleness}: prompts are made updates before they are learned from, and replies of --speaker ${speaker} are counted update by update; give one of the two`,
  );
}
