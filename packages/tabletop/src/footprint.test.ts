import { describe, expect, it } from 'vitest';
import { isOver, isWithin, overlaps, type Footprint } from './footprint.ts';

const round = (radius: number, x: number, y = 0): Footprint => ({ shape: { round: radius }, x, y, yaw: 0 });
const box = (a: number, b: number, { x = 0, y = 0, yaw = 0 } = {}): Footprint => ({
  shape: { half: [a, b] },
  x,
  y,
  yaw,
});
const eighth = Math.PI / 4;

describe('shapes from above', () => {
  it.each([
    ['circles nearer than both radii', round(1, 0), round(2, 2.9), true],
    ['circles that touch', round(1, 0), round(2, 3), false],
    ['a circle beside a corner: the distance is √2 − 1 > 0.4', box(1, 1), round(0.4, 1.3, 1.3), false],
    ['a circle at a corner: 0.3 √2 < 0.43', box(1, 1), round(0.43, 1.3, 1.3), true],
    ['a circle beside a side', box(1, 1), round(0.4, 1.39), true],
    ['a square on its corner reaches √2', box(1, 1, { yaw: eighth }), box(1, 1, { x: 2.4 }), true],
    ['and no farther', box(1, 1, { yaw: eighth }), box(1, 1, { x: 2.42 }), false],
    [
      'boxes apart along a slanted axis alone',
      box(1, 1, { yaw: eighth }),
      box(1, 1, { x: 1.9, y: 1.9 }),
      false,
    ],
  ])('%s', (_, one, other, expected) => {
    expect(overlaps(one, other)).toBe(expected);
    expect(overlaps(other, one)).toBe(expected);
  });

  it('lie within others with their whole outline', () => {
    expect(isWithin(round(1, 0.9), box(2, 1))).toBe(true);
    expect(isWithin(round(1, 1.1), box(2, 1))).toBe(false);
    expect(isWithin(box(1, 0.5), round(1.12, 0))).toBe(true);
    // the corner is at √1.25 = 1.118
    expect(isWithin(box(1, 0.5), round(1.11, 0))).toBe(false);
    expect(isWithin(box(1, 1, { yaw: eighth }), box(1.4, 1.5))).toBe(false);
    expect([isOver([1.9, 0], box(2, 1)), isOver([0, 1.1], box(2, 1))]).toEqual([true, false]);
  });
});
