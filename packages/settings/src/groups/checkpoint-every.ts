/** How often a checkpoint is written: after so many updates, or after so many seconds. */
import { given, whole } from '@emac/algorithms';
import { z } from 'zod';

const seconds = z
  .templateLiteral([z.number().min(0.1).max(1_000_000), 's'])
  .meta({ title: 'seconds such as 60s' });

/** The setting, as a number of updates by default. */
export const checkpointEverySetting = (updates: number, about: string) =>
  z
    .union([whole(1, 999_999_999), seconds])
    .default(updates)
    .describe(about);

export type CheckpointEvery = z.infer<ReturnType<typeof checkpointEverySetting>>;

/** Its parts: one of them is not null. */
export function intervalOf(every: CheckpointEvery): {
  readonly updates: number | null;
  readonly seconds: number | null;
} {
  return typeof every === 'number'
    ? { updates: every, seconds: null }
    : { updates: null, seconds: Number(every.slice(0, -1)) };
}

export const checkpointEvery = checkpointEverySetting(
  10,
  'updates from one checkpoint to the next, or a time such as 60s: at the end of the update in which it has passed',
).meta(given('checkpoint-every'));
