import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frozenLake, type FrozenLakeState } from './frozen-lake.ts';
import { frozenLakeIds, variantOf } from './variant.ts';

const [left, down, right] = [0, 1, 2];

describe('FrozenLake', () => {
  it('is crossed on dry ground by the way round the holes, for a reward of 1', () => {
    const lake = frozenLake('FrozenLake-v1/not-slippery');
    expect(lake.reset(0)).toEqual({ prob: 1, won: false });
    expect(lake.text()).toBe('P___\n_O_O\n___O\nO__G');
    const outcomes = [down, down, right, right, down, right].map((action) => lake.step(action));
    expect(outcomes.map(({ reward }) => reward)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(outcomes.at(-1)).toMatchObject({ terminated: true, truncated: false, won: true });
    expect(lake.text()).toBe('____\n_O_O\n___O\nO__√');
    expect(lake.observe().state.data[0]).toBe(15);
  });

  it('ends in a hole without a reward, and the player stays there', () => {
    const lake = frozenLake('FrozenLake/not-slippery');
    lake.reset(0);
    lake.step(right);
    expect(lake.step(down)).toMatchObject({ reward: 0, terminated: true, won: false });
    expect(lake.text().split('\n')[1]).toBe('_X_O');
    lake.step(left);
    expect(lake.observe().state.data[0]).toBe(5);
  });

  it('slips to each side of the wanted direction by its chance', () => {
    const lake = frozenLake('FrozenLake8x8-v1/success-0.8');
    const arrived = new Map<number, number>();
    for (let seed = 0; seed < 2000; seed++) {
      lake.reset(seed);
      const { prob } = lake.step(right).info;
      const place = lake.observe().state.data[0]!;
      arrived.set(place, (arrived.get(place) ?? 0) + 1);
      expect(prob).toBe(place === 1 ? 0.8 : (1 - 0.8) / 2);
    }
    // right 1600, down 200, up (the edge: 0) 200; three standard deviations are 54 and 40
    expect(Math.abs(arrived.get(1)! - 1600)).toBeLessThan(54);
    expect(Math.abs(arrived.get(8)! - 200)).toBeLessThan(40);
    expect(arrived.size).toBe(3);
  });

  it('has the same random map for a seed, and keeps it in an episode without one', () => {
    const [lake, other] = [frozenLake('FrozenLake-v1/random-6'), frozenLake('FrozenLake-v1/random-6')];
    lake.reset(3);
    other.reset(3);
    const { map } = lake.state();
    expect(other.state().map).toEqual(map);
    lake.reset(null);
    expect(lake.state().map).toEqual(map);
    lake.reset(4);
    expect(lake.state().map).not.toEqual(map);
  });

  it('continues the same from a stored state', () => {
    const walks = fc.array(fc.nat(3), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.constantFrom(...frozenLakeIds), fc.nat(), walks, walks, (id, seed, before, after) => {
        const [lake, restored] = [frozenLake(id, { tileSize: 4 }), frozenLake(id, { tileSize: 4 })];
        lake.reset(seed);
        for (const action of before) lake.step(action);
        restored.restore(JSON.parse(JSON.stringify(lake.state())) as FrozenLakeState);
        expect(restored.frame()).toEqual(lake.frame());
        for (const action of after) expect(restored.step(action)).toEqual(lake.step(action));
        expect(restored.reset(null)).toEqual(lake.reset(null));
        expect(restored.state()).toEqual(lake.state());
      }),
      { numRuns: 30 },
    );
  });

  it('refuses invalid actions, options, states, and steps before the first reset', () => {
    const lake = frozenLake('FrozenLake-v1', { maxSteps: 3 });
    expect(() => lake.step(0)).toThrow(/reset needs a seed/);
    lake.reset(0);
    for (const action of [-1, 4, 0.5]) expect(() => lake.step(action)).toThrow(`from 0 to 3, got ${action}`);
    expect(() => frozenLake('FrozenLake-v1', { maxSteps: 0 })).toThrow(/maxSteps must be a positive/);
    expect(() => frozenLake('FrozenLake-v1').restore(lake.state())).toThrow(
      /limit of 3 steps, here it is 100/,
    );
    expect([1, 2, 3].map(() => lake.step(left).truncated)).toEqual([false, false, true]);
  });

  it('shows a square a cell, and the player in the middle of its own', () => {
    const lake = frozenLake('FrozenLake-v1', { tileSize: 8 });
    lake.reset(0);
    const { width, height, data } = lake.frame();
    expect([width, height]).toEqual([32, 32]);
    const pixel = (x: number, y: number): number[] => [
      ...data.subarray((y * 32 + x) * 3, (y * 32 + x) * 3 + 3),
    ];
    const [ice, hole, goal, player] = [pixel(0, 0), pixel(8, 8), pixel(31, 31), pixel(2, 2)];
    expect(new Set([ice, hole, goal, player].map(String)).size).toBe(4);
    expect(pixel(5, 5)).toEqual(player);
    expect(pixel(6, 5)).toEqual(ice);
    expect(pixel(10, 2)).toEqual(ice);
  });
});

describe('an id of FrozenLake', () => {
  it.each([
    ['FrozenLake', 'FrozenLake-v1'],
    ['FrozenLake8x8/not-slippery', 'FrozenLake8x8-v1/not-slippery'],
    ['FrozenLake-v1/random-6/success-0.80', 'FrozenLake-v1/random-6/success-0.8'],
  ])('%s means %s', (name, id) => expect(variantOf(name)?.id).toBe(id));

  it.each([
    'FrozenLake-v0',
    'FrozenLake-v1/random-1',
    'FrozenLake8x8-v1/random-4',
    'FrozenLake-v1/success-1.5',
    'FrozenLake-v1/success-0.5/not-slippery',
    'FrozenLake-v1/',
  ])('%s means nothing', (name) => {
    expect(variantOf(name)).toBe(null);
    expect(() => frozenLake(name)).toThrow(`got ${name}`);
  });
});
