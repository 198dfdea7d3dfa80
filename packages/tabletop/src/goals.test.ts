import { describe, expect, it } from 'vitest';
import { holds, type Goal } from './goals.ts';
import type { KindName } from './kinds.ts';
import { home, type Scene, type Thing } from './scene.ts';
import { withCabinet } from './suites/layout.ts';

const thing = (kind: KindName, facts: Partial<Thing> = {}): Thing => ({
  name: kind,
  kind,
  x: 0,
  y: 0,
  z: 0,
  yaw: 0,
  on: null,
  ...facts,
});
const scene = (...things: Thing[]): Scene => ({ hand: home, things, lit: false });

describe('a goal', () => {
  it('on: stands on it with its middle above it, let go', () => {
    const goal: Goal = { kind: 'on', thing: 'mug', target: 'plate' };
    expect(holds(scene(thing('plate'), thing('mug', { z: 0.012, on: 'plate', x: 0.07 })), goal)).toBe(true);
    expect(holds(scene(thing('plate'), thing('mug', { z: 0.012, on: 'plate', x: 0.08 })), goal)).toBe(false);
    expect(holds(scene(thing('plate'), thing('mug', { z: 0.012 })), goal)).toBe(false);
  });

  it('in: below the rim, directly or on another thing inside', () => {
    const goal: Goal = { kind: 'in', thing: 'lemon', target: 'basket' };
    expect(holds(scene(thing('basket'), thing('lemon', { z: 0.006, on: 'basket' })), goal)).toBe(true);
    expect(holds(scene(thing('basket'), thing('lemon', { z: 0.06, x: 0.1, on: 'basket' })), goal)).toBe(
      false,
    );
    const sponge = thing('sponge', { z: 0.006, on: 'basket' });
    expect(holds(scene(thing('basket'), sponge, thing('lemon', { z: 0.036, on: 'sponge' })), goal)).toBe(
      true,
    );
  });

  it('left of, right of: a hand’s breadth beside it on the table', () => {
    const is = (kind: 'left of' | 'right of', x: number, y = 0) =>
      holds(scene(thing('plate'), thing('mug', { x, y })), { kind, thing: 'mug', target: 'plate' });
    expect([is('left of', -0.1), is('right of', -0.1), is('right of', 0.1)]).toEqual([true, false, true]);
    expect([is('left of', -0.3), is('left of', -0.1, 0.1), is('left of', -0.02)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('open, closed: how far the drawer is pulled; between them it is neither', () => {
    const at = (pull: number) =>
      (['open', 'closed'] as const).map((kind) =>
        holds(withCabinet(scene(), { x: 0, y: 0 }, pull), { kind, target: 'drawer' }),
      );
    expect([at(0), at(0.05), at(0.12)]).toEqual([
      [false, true],
      [false, false],
      [true, false],
    ]);
  });
});
