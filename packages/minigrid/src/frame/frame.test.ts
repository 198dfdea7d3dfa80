import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellOf, door, goal, lava, wall } from '../cell.ts';
import { miniGrid } from '../minigrid.ts';
import { drawTile } from './tile.ts';

const size = 32;

/** The colour of a tile's pixel, in words of three numbers. */
function pixel(tile: Uint8Array, x: number, y: number): string {
  const place = (y * size + x) * 3;
  return tile.slice(place, place + 3).join();
}

const plain = { agent: null, isLit: false };

describe('a tile', () => {
  it.each([
    ['floor that nothing lies on', 1, '0,0,0', '76,76,76'],
    ['the goal', goal, '0,255,0', '76,255,76'],
    ['a wall', wall, '100,100,100', '146,146,146'],
    ['lava', lava, '255,128,0', '255,166,76'],
    ['the middle of a ball', cellOf('ball', 'yellow'), '255,255,0', '255,255,76'],
    // 0.45 of 255 is 114.75; its light 114 + 0.3 · 141 = 156.3, the blue 0.3 · 255 = 76.5
    ['a locked door', door('yellow', 'locked'), '114,114,0', '156,156,76'],
    // a half of 39 and of 195
    ['a purple floor', cellOf('floor', 'purple'), '56,19,97', '115,89,144'],
  ])('shows %s in its colour, and brighter in light', (_what, cell, dark, lit) => {
    // above the middle, where bars and waves are
    expect(pixel(drawTile({ ...plain, cell }, size, 'true'), 13, 7)).toBe(dark);
    expect(pixel(drawTile({ ...plain, cell, isLit: true }, size, 'true'), 13, 7)).toBe(lit);
  });

  it.each([
    [0, [24, 16]],
    [1, [16, 24]],
    [2, [7, 16]],
    [3, [16, 7]],
  ])("points the agent's tip in its direction, %i", (agent, [x, y]) => {
    const tile = drawTile({ cell: 1, agent, isLit: true }, size, 'true');
    expect(pixel(tile, x!, y!)).toBe('255,76,76');
    // the opposite side is the broad one, with its edge at 0.12
    expect(pixel(tile, 31 - x!, 31 - y!)).toBe('255,76,76');
    const beside = agent % 2 === 0 ? [x!, 8] : [8, y!];
    expect(pixel(tile, beside[0]!, beside[1]!)).toBe('76,76,76');
  });

  it('has grid lines along the left and upper edge', () => {
    const tile = drawTile({ ...plain, cell: 1 }, size, 'true');
    // 0.031 of 96 pixels are three; the centres of these three lie inside: 2.5/96 = 0.026
    expect([pixel(tile, 0, 9), pixel(tile, 9, 0), pixel(tile, 1, 9)]).toEqual([
      '100,100,100',
      '100,100,100',
      '0,0,0',
    ]);
  });

  it('wrapped as published: the agent cyan, the goal pink, a yellow key blue, and the goal out of sight nearly black', () => {
    const wrapped = (cell: number, isLit: boolean, agent: number | null = null) =>
      pixel(drawTile({ cell, agent, isLit }, size, 'legacy-wrapped'), 16, 16);
    expect(wrapped(1, true, 0)).toBe('1,180,180');
    expect(wrapped(goal, true)).toBe('180,1,180');
    expect(wrapped(goal, false)).toBe('0,1,0');
    expect(wrapped(cellOf('ball', 'yellow'), true)).toBe('1,1,180');
  });
});

describe('a frame', () => {
  it('is as large as its tiles, and lit only where the agent sees', () => {
    const options = { tileSize: 10 };
    const lit = miniGrid('MiniGrid-Empty-5x5', options);
    const dark = miniGrid('MiniGrid-Empty-5x5', { ...options, highlight: false });
    for (const environment of [lit, dark]) environment.reset(0);
    const [one, other] = [lit.frame(), dark.frame()];
    expect([one.width, one.height, one.data.length]).toEqual([50, 50, 7500]);
    const isBrighter = (x: number, y: number) => {
      const place = ((y * 10 + 5) * 50 + x * 10 + 5) * 3;
      return one.data[place + 2]! > other.data[place + 2]!;
    };
    // at (1, 1), looking right: columns 1 to 4, all rows; column 0 lies behind
    expect([0, 1, 2, 3, 4].map((x) => isBrighter(x, 2))).toEqual([false, true, true, true, true]);
  });

  it('does not depend on earlier frames', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(fc.nat(), steps, (seed, walk) => {
        const options = { tileSize: 3 };
        const [often, once] = [
          miniGrid('MiniGrid-DoorKey-8x8', options),
          miniGrid('MiniGrid-DoorKey-8x8', options),
        ];
        for (const environment of [often, once]) environment.reset(seed);
        for (const [action, isDrawn] of walk) {
          if (isDrawn) often.frame();
          for (const environment of [often, once]) environment.step(action);
        }
        expect(Buffer.compare(often.frame().data, once.frame().data)).toBe(0);
      }),
      { numRuns: 30 },
    );
  });
});
