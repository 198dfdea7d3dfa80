/**
 * Targets of each visual token, so the vision encoder learns from every frame at once: a coordinate of a thing, in 32
 * steps over the table, each at its own place. The lesson helps the vision encoder early on; the model's answers need
 * no such order.
 */
import type { Scene } from '@emac/tabletop';
import { coordinatePieces } from './pieces.ts';

/** One for each visual token. */
export const factCount = 12;

const [width, depth, height] = [
  [-0.36, 0.36],
  [-0.26, 0.26],
  [0, 0.34],
] as const;

export function factsOf({ hand, things }: Scene): readonly string[] {
  const named = (name: string) => things.find((thing) => thing.name === name)!;
  const bowls = [named('bowl'), named('other bowl')].sort((one, other) => one.x - other.x);
  const [left, right] = bowls as [(typeof bowls)[0], (typeof bowls)[0]];
  const across = ({ x, y }: { readonly x: number; readonly y: number }) => [piece(x, width), piece(y, depth)];
  return [
    ...across(hand),
    piece(hand.z, height),
    piece(hand.opening, [0, 0.12]),
    ...across(left),
    ...across(right),
    ...across(named('mug')),
    ...across(named('tray')),
  ];
}

/**
 * Targets after words of the sentence: the position of the meant bowl, then that of the tray. So every frame also
 * teaches the sentence's meaning.
 */
export function understoodOf({ things }: Scene): (word: string) => string | null {
  const named = (name: string) => things.find((thing) => thing.name === name)!;
  const [bowl, tray] = [named('bowl'), named('tray')];
  const told = new Map([
    [' and', piece(bowl.x, width)],
    [' put', piece(bowl.y, depth)],
    [' it', piece(tray.x, width)],
    [' on', piece(tray.y, depth)],
  ]);
  return (word) => told.get(word) ?? null;
}

function piece(value: number, [low, high]: readonly [number, number]): string {
  const step = Math.floor(((value - low) / (high - low)) * coordinatePieces.length);
  return coordinatePieces[Math.min(Math.max(step, 0), coordinatePieces.length - 1)]!;
}
