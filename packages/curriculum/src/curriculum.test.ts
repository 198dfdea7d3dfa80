import { Random } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curriculumOf } from './curriculum-of.ts';
import { beginCurriculum, curriculumSettings, reported } from './curriculum.ts';
import { readCurriculum } from './read-state.ts';

const tasks = ['bowl', 'cup', 'drawer', 'stove'];

/** How often each is drawn. */
function drawn(ids: readonly string[]): Record<string, number> {
  return Object.fromEntries(tasks.map((task) => [task, ids.filter((id) => id === task).length]));
}

describe('a curriculum', () => {
  it('starts with every task at one half, equally likely', () => {
    const { ema, counts, probabilities } = curriculumOf(tasks).statistics();
    expect(ema).toEqual({ bowl: 0.5, cup: 0.5, drawer: 0.5, stove: 0.5 });
    expect(counts).toEqual({ bowl: 0, cup: 0, drawer: 0, stove: 0 });
    for (const each of Object.values(probabilities)) expect(each).toBeCloseTo(0.25, 12);
  });

  it('moves by 1 − α an episode: 69 successes from 0.5 to 0.75', () => {
    // 1 − 0.5 · 0.99ⁿ: 0.7475 after 68 and 0.7501 after 69
    const curriculum = curriculumOf(tasks);
    for (let episode = 0; episode < 68; episode++) curriculum.report('cup', true);
    expect(curriculum.statistics().ema['cup']).toBeLessThan(0.75);
    curriculum.report('cup', true);
    expect(curriculum.statistics().ema['cup']).toBeCloseTo(1 - 0.5 * 0.99 ** 69, 12);
    expect(curriculum.statistics().ema['cup']).toBeGreaterThan(0.75);
    curriculum.report('stove', false);
    expect(curriculum.statistics().ema).toMatchObject({ stove: 0.495, bowl: 0.5 });
    expect(curriculum.statistics().counts).toEqual({ bowl: 0, cup: 69, drawer: 0, stove: 1 });
  });

  it('favours tasks near one half, and gives the rest the floor’s rate', () => {
    const curriculum = curriculumOf(tasks, { settings: { decay: 0.9, floor: 0.2 } });
    for (let episode = 0; episode < 200; episode++) {
      curriculum.report('bowl', true);
      curriculum.report('cup', false);
      curriculum.report('drawer', episode % 2 === 0);
      curriculum.report('stove', episode % 2 === 1);
    }
    const count = 20_000;
    const found = drawn(curriculum.getBatch(count, Random.fromSeed(1)));
    // 0.2 / 4 each; deviation √(n p (1 − p)) = 31, so 5 of them are 154
    for (const task of ['bowl', 'cup']) expect(Math.abs(found[task]! - 0.05 * count)).toBeLessThan(154);
    // two equally far from one half share the rest: 0.45 each, deviation 70
    for (const task of ['drawer', 'stove']) expect(Math.abs(found[task]! - 0.45 * count)).toBeLessThan(350);
  });

  it('never returns to such tasks without a floor', () => {
    const state = { tasks, ema: [1, 0, 0.5, 0.5], counts: [9, 9, 9, 9] };
    const curriculum = curriculumOf(tasks, { settings: { floor: 0 }, state });
    const found = drawn(curriculum.getBatch(20_000, Random.fromSeed(1)));
    // exp(−12.5) / 2 each: 0.04 in 20,000
    expect(found['bowl']! + found['cup']!).toBeLessThan(3);
  });

  it('uses a report in the next batch, without waiting', () => {
    const curriculum = curriculumOf(tasks, { settings: { decay: 0 } });
    const before = curriculum.statistics().probabilities['bowl'];
    expect(curriculum.report('bowl', true)).toBeUndefined();
    expect(before).toBeCloseTo(0.25, 12);
    // 0.1 / 4
    expect(curriculum.statistics().probabilities['bowl']).toBeCloseTo(0.025, 12);
  });

  it('draws the same from a state restored from JSON', () => {
    const outcomes = fc.array(fc.tuple(fc.constantFrom(...tasks), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(outcomes, outcomes, fc.integer(), (first, second, seed) => {
        const settings = { decay: 0.8 };
        const whole = curriculumOf(tasks, { settings });
        for (const [task, success] of first) whole.report(task, success);
        const text = JSON.stringify(whole.state());
        const restored = curriculumOf(tasks, { settings, state: JSON.parse(text) as unknown });
        for (const [task, success] of second) {
          whole.report(task, success);
          restored.report(task, success);
        }
        expect(restored.getBatch(20, Random.fromSeed(seed))).toEqual(
          whole.getBatch(20, Random.fromSeed(seed)),
        );
        expect(restored.state()).toEqual(whole.state());
      }),
    );
  });

  it('draws the same from the same seed, and differently from another', () => {
    const draw = (seed: number) => curriculumOf(tasks).getBatch(30, Random.fromSeed(seed));
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('does not change a state when a report updates it', () => {
    const before = beginCurriculum(tasks);
    reported(before, { taskId: 'cup', success: true }, curriculumSettings());
    expect(before).toEqual(beginCurriculum(tasks));
  });

  it('uses each formula’s own temperature', () => {
    const of = (formula: 'half' | 'paper' | 'failures' | 'distance') =>
      curriculumSettings({ formula }).temperature;
    expect([of('half'), of('paper'), of('failures'), of('distance')]).toEqual([0.02, 0.5, 1, 1]);
    expect(curriculumSettings({ formula: 'paper', temperature: 3 }).temperature).toBe(3);
  });

  it('rejects unknown tasks and invalid counts', () => {
    const curriculum = curriculumOf(tasks);
    expect(() => curriculum.report('door', true)).toThrow(/no task door; there are bowl, cup/);
    expect(() => curriculum.getBatch(1.5, Random.fromSeed(0))).toThrow(/whole number of tasks, got 1.5/);
    expect(() => curriculumOf([])).toThrow(/different ids, got \[\]/);
    expect(() => curriculumOf(['a', 'a'])).toThrow(/different ids, got \[a, a\]/);
    expect(() => curriculumOf(tasks, { settings: { decay: 1 } })).toThrow(/decay: must be/);
    expect(curriculum.getBatch(0, Random.fromSeed(0))).toEqual([]);
  });
});

describe('a state', () => {
  const good = beginCurriculum(tasks);

  it.each([
    ['nothing', null, /all of it/],
    ['an average above 1', { ...good, ema: [0, 0, 0, 2] }, /ema\.3/],
    ['a missing count', { ...good, counts: [0] }, /equal lengths/],
    ['half a count', { ...good, counts: [0, 0, 0, 0.5] }, /counts\.3/],
    ['a task twice', { ...good, tasks: ['a', 'a', 'b', 'c'] }, /tasks must be different/],
  ])('is rejected with %s', (_case, state, message) => {
    expect(() => readCurriculum(state)).toThrow(message);
  });

  it('belongs to its tasks', () => {
    expect(() => curriculumOf(['bowl'], { state: good })).toThrow(/must be of the tasks \[bowl\], got/);
  });
});
