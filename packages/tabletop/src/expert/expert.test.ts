import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { startsOf, suites } from '../starts.ts';
import { tabletop, type Tabletop } from '../tabletop.ts';
import { tabletopByWords } from '../words.ts';

/** Steps until the task is done; null if the limit comes first. */
function solved(table: Tabletop, options?: Parameters<Tabletop['expert']>[0]): number | null {
  for (let steps = 1; ; steps++) {
    const { terminated, truncated } = table.step(table.expert(options));
    if (terminated || truncated) return terminated ? steps : null;
  }
}

/** Some of the starts, all tasks among them. */
const some = startsOf('all').filter(({ state }) => state % 10 === 3);

describe.each(suites)('the scripted controller in %s', (suite) => {
  it('does every task from every initial state within the limit', () => {
    const table = tabletop(`tabletop/${suite}`);
    for (const start of startsOf('all')) {
      table.begin(start);
      expect(solved(table), JSON.stringify(start)).not.toBeNull();
    }
  });

  it('does so within the limits as published, in small steps', () => {
    const table = tabletop(`tabletop/${suite}`, { scale: 'fine' });
    for (const start of some) {
      table.begin(start);
      expect(solved(table), JSON.stringify(start)).not.toBeNull();
    }
  });

  it('continues after random actions, and despite noise, in 19 of 20', () => {
    const random = Random.fromSeed(`disturbed ${suite}`);
    const table = tabletop(`tabletop/${suite}`, { maxSteps: 100 });
    let done = 0;
    for (const start of some) {
      table.begin(start);
      for (let step = random.integer(15); step > 0; step--)
        table.step(Array.from({ length: 7 }, () => 2 * random.uniform() - 1));
      done += solved(table, { noise: 0.3, random }) === null ? 0 : 1;
    }
    expect(done).toBeGreaterThanOrEqual(some.length * 0.95);
  });

  it('finds the words, in 19 of 20', () => {
    const seeds = startsOf('all').flatMap(({ state }, seed) => (state % 10 === 3 ? [seed] : []));
    const table = tabletopByWords(`tabletop/${suite}`, { starts: 'counted' });
    const done = seeds.filter((seed) => {
      table.reset(seed);
      for (;;) {
        const { terminated, truncated } = table.step(table.expert());
        if (terminated || truncated) return terminated;
      }
    });
    expect(done.length).toBeGreaterThanOrEqual(seeds.length * 0.95);
  });
});

describe('a controller that counts in steps', () => {
  it('keeps to the given numbers', () => {
    const table = tabletop('tabletop/spatial/1/2', { maxSteps: 50 });
    table.reset(0);
    for (let step = 0; step < 12; step++) {
      const action = table.expert({ steps: 4 });
      for (const value of action) expect(Number.isInteger(4 * value), String(value)).toBe(true);
      table.step(action);
    }
  });

  it.each([4, 8])('does nearly every task in steps of 1/%d, beside small disturbances', (steps) => {
    const random = Random.fromSeed(`steps ${steps}`);
    const table = tabletop('tabletop/spatial');
    const done = some.filter((start) => {
      table.begin(start);
      return solved(table, { steps, noise: 0.2, random }) !== null;
    });
    expect(done.length).toBeGreaterThanOrEqual(some.length * 0.95);
  });
});

describe('noise', () => {
  it('is drawn, and does not affect the gripper', () => {
    const table = tabletop('tabletop/goal/0');
    table.reset(0);
    const plain = table.expert();
    const noisy = (seed: number) => table.expert({ noise: 0.5, random: Random.fromSeed(seed) });
    const [one, other] = [noisy(1), noisy(2)];
    expect(one).not.toEqual(other);
    for (const [place, value] of one.entries())
      expect(Math.abs(value - plain[place]!)).toBeLessThanOrEqual(
        place === 6 ? 0 : 0.5 * (Math.abs(plain[place]!) + 0.1),
      );
    expect(() => table.expert({ noise: 0.5 })).toThrow(/needs a Random/);
  });
});
