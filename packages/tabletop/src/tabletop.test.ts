import { vectorOf, type Frame } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startsOf, statesOf } from './starts.ts';
import type { Action } from './motion.ts';
import { noAction, seedOfStart, stepLimits, tabletop, tabletopIds, type TabletopState } from './tabletop.ts';
import { handWords, tabletopByWords, type WordedState } from './words.ts';

const isEqual = (one: Frame, other: Frame): boolean => Buffer.compare(one.data, other.data) === 0;
const number = fc.double({ min: -1, max: 1, noNaN: true });
const walks = fc.array(fc.tuple(number, number, number, number, number, number, number), {
  minLength: 1,
  maxLength: 12,
});
const small = { size: 48 };

describe('an id', () => {
  it('names a suite, a task or one initial state', () => {
    expect(tabletopIds).toEqual(['spatial', 'object', 'goal', 'long'].map((suite) => `tabletop/${suite}`));
    const table = tabletop('tabletop/long/3/17');
    for (const seed of [0, 1, null]) {
      table.reset(seed);
      expect(table.start).toEqual({ task: 3, state: 17 });
    }
    for (const id of ['tabletop/long/10', 'tabletop/long/3/50', 'tabletop/big', 'long', 'tabletop/long/'])
      expect(() => tabletop(id)).toThrow(`there is no ${id}; there are tabletop/spatial`);
  });

  it('keeps to its split, and a seed leads to one start', () => {
    const table = tabletop('tabletop/goal/4', { split: 'held-out' });
    const held = new Set(statesOf('held-out'));
    const states = Array.from({ length: 60 }, (_, seed) => (table.reset(seed), table.start.state));
    for (const state of states) expect(held.has(state)).toBe(true);
    // 60 draws of 10 states leave out more than 3 about once in 10⁷ times
    expect(new Set(states).size).toBeGreaterThan(6);
    expect((table.reset(11), table.start)).toEqual((table.reset(11), table.start));
  });

  it('numbers starts if asked, so seeds name them', () => {
    const table = tabletop('tabletop/spatial', { starts: 'counted', split: 'train' });
    for (const start of [startsOf('train')[0]!, { task: 7, state: 39 }]) {
      table.reset(seedOfStart(start, 'train'));
      expect(table.start).toEqual(start);
    }
    table.reset(null);
    expect(table.start).toEqual({ task: 8, state: 39 });
    table.reset(2n ** 70n * 400n + 399n);
    expect(table.start).toEqual({ task: 9, state: 39 });
    table.reset(null);
    expect(table.start).toEqual({ task: 0, state: 0 });
    expect(() => seedOfStart({ task: 0, state: 45 }, 'train')).toThrow(
      /task 0, state 45 is not an initial state/,
    );
  });
});

describe('an episode', () => {
  it('ends with reward 1 when the goals hold, and is truncated at its limit', () => {
    const table = tabletop('tabletop/goal/0/0');
    expect(table.reset(0)).toEqual({ won: false, task: 0, state: 0, private: { goals: [false] } });
    expect(table.text()).toBe('open the drawer');
    const outcomes = Array.from({ length: 30 }, () => table.step(noAction));
    expect(outcomes.map(({ truncated }) => truncated)).toEqual([...Array<boolean>(29).fill(false), true]);
    expect(outcomes.every(({ reward, terminated }) => reward === 0 && !terminated)).toBe(true);
    table.reset(0);
    let last = table.step(table.expert());
    while (!last.terminated && !last.truncated) last = table.step(table.expert());
    expect(last).toMatchObject({ reward: 1, terminated: true, truncated: false, info: { won: true } });
  });

  it('has the limits as published, or a tenth of them', () => {
    expect(stepLimits).toEqual({ spatial: 220, object: 280, goal: 300, long: 520 });
    const table = tabletop('tabletop/spatial', { scale: 'fine' });
    table.reset(0);
    const steps = Array.from({ length: 220 }, () => table.step(noAction).truncated);
    expect(steps.indexOf(true)).toBe(219);
  });

  it('reports position, rotation and fingers: of a hand at rest (0, 0.05, 0.25), not rotated, 12 cm open', () => {
    const table = tabletop('tabletop/object');
    table.reset(3);
    const expected = Float32Array.of(0, 0.05, 0.25, 0, 0, 0, 0.06, -0.06);
    expect(table.observe()).toEqual({ state: { shape: [8], data: expected } });
  });

  it('refuses invalid actions, seeds and states, and steps before the first reset', () => {
    const table = tabletop('tabletop/goal');
    expect(() => table.step(noAction)).toThrow(/reset/);
    expect(() => table.reset(null)).toThrow(/first episode needs a seed/);
    expect(() => table.reset(-1)).toThrow(/whole number from 0, got -1/);
    table.reset(0);
    expect(() => table.step([0, 0, 0])).toThrow(/seven finite numbers, got \[0, 0, 0\]/);
    expect(() => table.step([0, 0, 0, 0, 0, 0, NaN])).toThrow(/seven finite numbers/);
    expect(() => table.restore({ ...table.state(), id: 'tabletop/long' })).toThrow(/of tabletop\/long/);
    expect(() => tabletop('tabletop/goal', { size: 0 })).toThrow(
      /size must be a positive whole number, got 0/,
    );
  });

  it('goes the same from the same seed, and on from a state that was written down, to equal pictures', () => {
    const ids = fc.constantFrom(...tabletopIds);
    fc.assert(
      fc.property(ids, fc.nat(), walks, walks, (id, seed, before, after) => {
        const [table, other, later] = [tabletop(id, small), tabletop(id, small), tabletop(id, small)];
        for (const each of [table, other]) {
          each.reset(seed);
          for (const action of before) each.step(action);
        }
        expect(other.state()).toEqual(table.state());
        expect(isEqual(other.frame(), table.frame())).toBe(true);
        later.restore(JSON.parse(JSON.stringify(table.state())) as TabletopState);
        for (const action of after) expect(later.step(action)).toEqual(table.step(action));
        expect(isEqual(later.frame(), table.frame()) && isEqual(later.wristFrame(), table.wristFrame())).toBe(
          true,
        );
        expect([later.reset(null), later.state()]).toEqual([table.reset(null), table.state()]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('by words', () => {
  it('4 cm and 1 cm, a rotation, and fingers that keep their last command', () => {
    const table = tabletopByWords('tabletop/goal/2/0');
    table.reset(0);
    const say = (word: (typeof handWords)[number]) => {
      table.step(handWords.indexOf(word));
      const { x, y, z, turn, opening } = table.table.scene().hand;
      return [x, y, z, turn[2], opening].map((value) => Math.round(value * 1e6) / 1e6);
    };
    expect(say('left')).toEqual([-0.04, 0.05, 0.25, 0, 0.12]);
    expect(say('slightly up')).toEqual([-0.04, 0.05, 0.26, 0, 0.12]);
    expect(say('close')).toEqual([-0.04, 0.05, 0.26, 0, 0.04]);
    expect(say('near')).toEqual([-0.04, 0.01, 0.26, 0, 0]);
    expect(say('turn left')).toEqual([-0.04, 0.01, 0.26, 0.15, 0]);
    expect(() => table.step(16)).toThrow(/from 0 to 15, got 16/);
    const other = tabletopByWords('tabletop/goal/2/0');
    other.restore(JSON.parse(JSON.stringify(table.state())) as WordedState);
    expect([other.step(2), other.state()]).toEqual([table.step(2), table.state()]);
  });
});

describe('several together', () => {
  it('step in a vector, which begins the next episode when one ends', async () => {
    const make = () => tabletop('tabletop/object', { ...small, starts: 'counted', maxSteps: 2 });
    const vector = vectorOf([make(), make()], {
      seedOf: (place, episode) => 10 * episode + place,
      lastFrames: true,
    });
    vector.reset();
    expect((await vector.step([noAction, noAction])).map(({ last }) => last)).toEqual([null, null]);
    const [first] = await vector.step([noAction, noAction]);
    expect(first!.truncated && first!.last!.frame!.width === 48).toBe(true);
    expect(vector.environments.map((each) => each.text())).toEqual([
      'put the can in the basket',
      'put the carton in the basket',
    ]);
  });
});

it('no task of spatial is won by the actions of another of its states', () => {
  const wins = Array.from({ length: 10 }, (_, task) => {
    const first = tabletop(`tabletop/spatial/${task}/0`, small);
    first.reset(0);
    const actions: Action[] = [];
    for (let isOver = false; !isOver;) {
      actions.push(first.expert());
      isOver = first.step(actions.at(-1)!).terminated;
    }
    return Array.from({ length: 10 }, (_, state) => {
      const other = tabletop(`tabletop/spatial/${task}/${state + 1}`, small);
      other.reset(0);
      return actions.some((action) => other.step(action).info.won);
    });
  });
  // 15 % of 500 were counted; with furniture that stands still 73 %
  expect(wins.flat().filter(Boolean).length).toBeLessThan(35);
});
