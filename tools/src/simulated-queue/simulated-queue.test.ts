/** The queue keeps its promises in a few hundred schedules; each promise that is taken away is missed. */
import { alsoLong, isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { runSchedule } from './run-schedule.ts';
import { sabotages } from './sabotage.ts';
import type { Line } from './world.ts';

/** The first seed whose schedule breaks a promise. */
async function firstBroken(name: string, most: number): Promise<{ seed: number; why: string } | null> {
  for (let seed = 0; seed < most; seed++) {
    const { violations } = await runSchedule(seed, { sabotage: sabotages[name]! });
    if (violations.length > 0) return { seed, why: violations[0]! };
  }
  return null;
}

describe('simulated schedules', () => {
  it('end in the policy of one undisturbed process', async () => {
    for (let seed = 0; seed < (isLong ? 1_000 : 40); seed++)
      expect([seed, (await runSchedule(seed)).violations]).toEqual([seed, []]);
  });

  it('repeat themselves line by line', async () => {
    const [first, second]: Line[][] = [[], []];
    await runSchedule(7, { lines: first! });
    await runSchedule(7, { lines: second! });
    expect(first!.length).toBeGreaterThan(10);
    expect(second).toEqual(first);
  });

  const [quick, others] = [Object.keys(sabotages).slice(0, 4), Object.keys(sabotages).slice(4)];
  it.each([...quick, ...alsoLong(others)])('break a promise without %s', async (name) => {
    expect(await firstBroken(name, 200)).not.toBeNull();
  });
});
