import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KindName } from './kinds.ts';
import { acted, scales, type Action } from './motion.ts';
import { bounds, home, pullOf, thingOf, type Hand, type Scene, type Thing } from './scene.ts';
import { sceneOf, suites } from './starts.ts';
import { withCabinet, withStove } from './suites/layout.ts';

const at = (kind: KindName, x: number, y: number): Thing => ({
  name: kind,
  kind,
  x,
  y,
  z: 0,
  yaw: 0,
  on: null,
});
const scene = (things: readonly Thing[], hand: Partial<Hand> = {}): Scene => ({
  hand: { ...home, ...hand },
  things,
  lit: false,
});
const move = (x: number, y: number, z: number, grip = 0): Action => [x, y, z, 0, 0, 0, grip];
const played = (start: Scene, ...actions: readonly Action[]): Scene =>
  actions.reduce((now, action) => acted(now, action, scales.fast), start);
const place = ({ hand }: Scene) => [hand.x, hand.y, hand.z].map((value) => Number(value.toFixed(9)));

describe('an action', () => {
  it('moves the hand by 8 cm or 6 mm at most along each axis', () => {
    const start = scene([], { x: 0, y: 0, z: 0.2 });
    expect(place(played(start, move(1, -0.5, 0.25)))).toEqual([0.08, -0.04, 0.22]);
    expect(place(played(start, move(3, 0, 0)))).toEqual([0.08, 0, 0.2]);
    expect(place(acted(start, move(1, -1, 0), scales.fine))).toEqual([0.006, -0.006, 0.2]);
  });

  it('stops at the table and at the bounds', () => {
    const down = played(scene([], { x: 0.35, y: 0, z: 0.05 }), move(1, 0, -1));
    expect(place(down)).toEqual([0.36, 0, 0.004]);
  });

  it('turns the hand within its bounds', () => {
    const { hand } = played(scene([]), [0, 0, 0, 1, 0, 0.5, 0]);
    expect(hand.turn.map((value) => Number(value.toFixed(9)))).toEqual([0.3, 0, 0.3]);
  });

  it('closes by 8 cm, and stops at the width of a thing in between', () => {
    expect(played(scene([]), move(0, 0, 0, 1)).hand.opening).toBeCloseTo(0.04, 12);
    const { hand } = played(scene([at('mug', 0, 0)], { x: 0, y: 0, z: 0.03 }), move(0, 0, 0, 1));
    // twice the mug's radius
    expect(hand).toMatchObject({ opening: 0.068, holds: 'mug' });
  });

  it('pushes an off-centre thing to the middle: half of 12 − 6.8 cm is 2.6 cm of room', () => {
    const near = played(scene([at('mug', 0.02, 0)], { x: 0, y: 0, z: 0.03 }), move(0, 0, 0, 1));
    expect(near.hand.holds).toBe('mug');
    expect(thingOf(near, 'mug').x).toBeCloseTo(0, 12);
    const far = played(scene([at('mug', 0.03, 0)], { x: 0, y: 0, z: 0.03 }), move(0, 0, 0, 1));
    expect(far.hand.holds).toBeNull();
    expect(thingOf(far, 'mug').x).toBe(0.03);
  });

  it('lifts a held thing, and drops it onto the surface below', () => {
    const start = scene([at('mug', 0, 0), at('plate', 0.16, 0)], { x: 0, y: 0, z: 0.03 });
    const lifted = played(start, move(0, 0, 0, 1), move(0, 0, 1, 1));
    expect(thingOf(lifted, 'mug')).toMatchObject({ x: 0, y: 0, z: expect.closeTo(0.08, 12), on: null });
    expect(thingOf(played(lifted, move(0, 0, 0, -1)), 'mug')).toMatchObject({ z: 0, on: null });
    const over = played(lifted, move(1, 0, 0, 1), move(1, 0, 0, 1), move(0, 0, 0, -1));
    // the plate is 12 mm high
    expect(thingOf(over, 'mug')).toMatchObject({
      x: expect.closeTo(0.16, 12),
      z: expect.closeTo(0.012, 12),
      on: 'plate',
    });
  });

  it('stops at obstacles, and slides along them', () => {
    // the palm is 2 cm ahead of the hand: the tips stay below the cabinet's 15 cm, with its front at 0.2 − 0.085
    const start = scene(withCabinet(scene([]), { x: 0, y: 0.2 }, 0).things, { x: 0, y: 0, z: 0.05 });
    const [x, y] = place(played(start, move(0.5, 1, 0), move(0, 1, 0)));
    expect(x).toBeCloseTo(0.04, 12);
    expect(y).toBeGreaterThan(0.115 - 0.02 - 0.021);
    expect(y).toBeLessThanOrEqual(0.115 - 0.02);
  });

  it('comes to rest on a thing that does not fit between the fingers', () => {
    const start = scene([at('basket', 0, 0)], { x: 0.035, y: 0, z: 0.2 });
    // the right finger, 7.05 cm to the side, is over the basket's rim, 6 cm high
    expect(place(played(start, move(0, 0, -1), move(0, 0, -1), move(0, 0, -1)))[2]).toBeCloseTo(0.06, 12);
  });

  it('pulls a drawer by its knob, along its way alone', () => {
    const { things } = withCabinet(scene([]), { x: 0, y: 0.2 }, 0);
    // the knob: 0.2 − 0.014 − 0.108; 0.06 + 0.03 above the table
    const start = scene(things, { x: 0, y: 0.078, z: 0.09 });
    const held = played(start, move(0, 0, 0, 1), move(0, 0, 0, 1));
    expect(held.hand.holds).toBe('drawer');
    const pulled = played(held, move(1, -1, 1, 1));
    expect(pullOf(pulled, thingOf(pulled, 'drawer'))).toBeCloseTo(0.08, 12);
    expect(place(pulled)).toEqual([0, -0.002, 0.09]);
    const end = played(pulled, move(0, -1, 0, 1));
    expect(pullOf(end, thingOf(end, 'drawer'))).toBeCloseTo(0.12, 12);
  });

  it('moves the things in a drawer along', () => {
    const { things } = withCabinet(scene([]), { x: 0, y: 0.2 }, 0.12);
    const lemon: Thing = { ...at('lemon', 0, 0.05), z: 0.066, on: 'drawer' };
    const start = scene([...things, lemon], { x: 0, y: -0.042, z: 0.09, opening: 0.024, holds: 'drawer' });
    const closed = played(start, move(0, 1, 0, 1), move(0, 1, 0, 1));
    expect(thingOf(closed, 'lemon').y).toBeCloseTo(0.17, 12);
    expect(pullOf(closed, thingOf(closed, 'drawer'))).toBeCloseTo(0, 12);
  });

  it('switches the stove on by a closed hand on the button alone', () => {
    const { things } = withStove(scene([]), { x: 0, y: 0 });
    const above = { x: 0.06, y: -0.05, z: 0.08 };
    expect(played(scene(things, { ...above, opening: 0 }), move(0, 0, -1)).lit).toBe(true);
    expect(played(scene(things, above), move(0, 0, -1)).lit).toBe(false);
    expect(played(scene(things, { ...above, x: 0, opening: 0 }), move(0, 0, -1)).lit).toBe(false);
  });
});

describe('any sequence of actions', () => {
  const number = fc.double({ min: -1, max: 1, noNaN: true });
  const walks = fc.array(fc.tuple(number, number, number, number, number, number, number), { maxLength: 25 });
  const starts = fc.tuple(fc.constantFrom(...suites), fc.nat(9), fc.nat(49));
  const close = (one: number, other: number) => expect(Math.abs(one - other)).toBeLessThan(1e-9);

  it('keeps everything above the table, without jumps, and a held thing in the hand', () => {
    fc.assert(
      fc.property(starts, walks, ([suite, task, state], walk) => {
        let now = sceneOf(suite, { task, state });
        for (const action of walk) {
          const next = acted(now, action, scales.fast);
          for (const axis of ['x', 'y', 'z'] as const) {
            expect(Math.abs(next.hand[axis] - now.hand[axis])).toBeLessThan(0.08 + 1e-9);
            expect(next.hand[axis]).toBeGreaterThanOrEqual(bounds[axis][0]);
            expect(next.hand[axis]).toBeLessThanOrEqual(bounds[axis][1]);
          }
          for (const thing of next.things) expect(thing.z).toBeGreaterThanOrEqual(0);
          const { holds } = next.hand;
          if (holds !== null && holds === now.hand.holds && holds !== 'drawer') {
            const [one, other] = [thingOf(now, holds), thingOf(next, holds)];
            close(one.z - now.hand.z, other.z - next.hand.z);
            const far = ({ x, y }: Thing, { hand }: Scene) => (x - hand.x) ** 2 + (y - hand.y) ** 2;
            close(far(one, now), far(other, next));
          }
          for (const thing of next.things) {
            const before = thingOf(now, thing.name);
            // 8 cm each way with the hand, the largest push by the fingers, and a rotation of 0.6 around them
            expect(Math.abs(thing.x - before.x) + Math.abs(thing.y - before.y)).toBeLessThan(
              0.16 + 0.05 + 0.03,
            );
          }
          now = next;
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is deterministic, and does not modify other scenes', () => {
    fc.assert(
      fc.property(starts, walks, ([suite, task, state], walk) => {
        const start = sceneOf(suite, { task, state });
        const copy = JSON.stringify(start);
        const run = () =>
          JSON.stringify(walk.reduce((now, action) => acted(now, action, scales.fast), start));
        expect(run()).toBe(run());
        expect(JSON.stringify(start)).toBe(copy);
      }),
      { numRuns: 40 },
    );
  });
});
