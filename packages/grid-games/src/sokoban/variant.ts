/**
 * What an id of Sokoban means. `Sokoban-6x6-1` is a room of 6 × 6 with one box as RAGEN and verl-agent make it; `/depth-30` is their search
 * depth where it is not 300. `Sokoban-small-v0` and `-v1` are gym-sokoban's own.
 */
import { EmacError } from '@emac/core';

export interface Variant {
  readonly id: string;
  readonly height: number;
  readonly width: number;
  readonly boxes: number;
  readonly maxSteps: number;
  /** by whose rules rooms are made, and which actions there are */
  readonly from: 'ragen' | 'gym-sokoban';
  /** steps of the reverse play */
  readonly depth: number;
}

/** Ids that lists show; other sizes, numbers of boxes and depths work too. */
export const sokobanIds: readonly string[] = [
  'Sokoban-6x6-1',
  'Sokoban-6x6-1/depth-30',
  'Sokoban-6x6-2',
  'Sokoban-8x8-2/depth-10',
  'Sokoban-small-v0',
  'Sokoban-small-v1',
];

const small: Omit<Variant, 'id' | 'boxes'> = {
  height: 7,
  width: 7,
  maxSteps: 200,
  from: 'gym-sokoban',
  depth: 300,
};
const pattern = /^Sokoban-([5-9]|10)x([5-9]|10)-([1-4])(?:\/depth-([1-9]\d{0,2}))?$/;

/** Null for a name of another form. */
export function variantOf(name: string): Variant | null {
  if (/^Sokoban-small(-v0)?$/.test(name)) return { id: 'Sokoban-small-v0', boxes: 2, ...small };
  if (name === 'Sokoban-small-v1') return { id: name, boxes: 3, ...small };
  const [found, height, width, boxes, depth = '300'] = pattern.exec(name) ?? [];
  if (found === undefined || Number(depth) > 300) return null;
  return {
    id: `Sokoban-${height}x${width}-${boxes}${depth === '300' ? '' : `/depth-${depth}`}`,
    height: Number(height),
    width: Number(width),
    boxes: Number(boxes),
    maxSteps: 100,
    from: 'ragen',
    depth: Number(depth),
  };
}

/** Errors: `usage` for a name of another form. */
export function requireVariant(name: string): Variant {
  const variant = variantOf(name);
  if (variant) return variant;
  throw new EmacError(
    'usage',
    `sokoban: an id is Sokoban-6x6-1 (rows × columns from 5 to 10, then 1 to 4 boxes), with /depth-N (1 to 300) if wanted, or Sokoban-small-v0 or -v1, got ${name}`,
  );
}
