/** Refuses an adapter's settings where none learns, before anything is opened. */
import { EmacError } from '@emac/core';
import type { TrainConfig } from '@emac/settings';

/** Errors: `usage` for the first setting of an adapter beside trained parts that have none. */
export function requireFittingAdapter({
  parts,
  rank,
  alpha,
  dropout,
  targets,
}: TrainConfig['trained']): void {
  if (parts === null || parts.includes('lora')) return;
  const settings = { rank, alpha, dropout, targets };
  const name = (Object.keys(settings) as (keyof typeof settings)[]).find((each) => settings[each] !== null);
  if (name !== undefined)
    throw new EmacError(
      'usage',
      `--lora-${name} ${settings[name]}: is for --train lora or projection,lora, but ${parts} learns; give --train lora, or leave it out`,
    );
}
