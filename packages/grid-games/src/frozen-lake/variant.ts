/**
 * What an id of FrozenLake means. The published id comes first, then Gymnasium's arguments in this order: `random-6` a map drawn by the
 * episode's seed, `success-0.8` the chance of the intended direction, `not-slippery`.
 */
import { EmacError } from '@emac/core';
import { publishedMaps, type LakeMap } from './lake-map.ts';

export interface Variant {
  readonly id: string;
  /** null: drawn by the seed */
  readonly map: LakeMap | null;
  readonly size: number;
  /** chance of the intended direction; the rest is shared by the two beside it */
  readonly success: number;
  readonly maxSteps: number;
}

/** Ids that lists show; any other size and chance works too. */
export const frozenLakeIds: readonly string[] = [
  'FrozenLake-v1',
  'FrozenLake8x8-v1',
  'FrozenLake-v1/not-slippery',
  'FrozenLake8x8-v1/not-slippery',
  'FrozenLake-v1/success-0.8',
  'FrozenLake-v1/random-4',
  'FrozenLake-v1/random-6/not-slippery',
];

const pattern =
  /^FrozenLake(8x8)?(?:-v1)?(?:\/random-(\d{1,2}))?(?:\/success-(0\.\d{1,6}|1))?(\/not-slippery)?$/;

/** Null for a name of another form. */
export function variantOf(name: string): Variant | null {
  const found = pattern.exec(name);
  if (!found) return null;
  const [, large, random, success, dry] = found;
  const size = random === undefined ? (large ? 8 : 4) : Number(random);
  // as in Gymnasium, a chance has no effect on ground that is not slippery
  if ((large && random) || (success && dry) || size < 2) return null;
  return {
    id: `FrozenLake${large ?? ''}-v1${random ? `/random-${size}` : ''}${success ? `/success-${Number(success)}` : ''}${dry ?? ''}`,
    map: random === undefined ? publishedMaps[large ? '8x8' : '4x4'] : null,
    size,
    success: dry ? 1 : Number(success ?? 1 / 3),
    maxSteps: large ? 200 : 100,
  };
}

/** Errors: `usage` for a name of another form. */
export function requireVariant(name: string): Variant {
  const variant = variantOf(name);
  if (variant) return variant;
  throw new EmacError(
    'usage',
    `frozen-lake: an id is FrozenLake-v1 or FrozenLake8x8-v1, then /random-N (2 to 99, of FrozenLake-v1), then /success-P (0 to 1) or /not-slippery, got ${name}`,
  );
}
