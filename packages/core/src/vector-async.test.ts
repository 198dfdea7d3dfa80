import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Steppable } from './step-environment.ts';
import { seenOf, vectorOf } from './vector.ts';

/** Walks from its seed; at 3 it terminates with reward 1. Every call takes the given number of event-loop turns, or none. */
function counter(turns: number | null, fails: (count: number) => boolean = () => false) {
  let count = NaN;
  let open = 0;
  const later = <T>(make: () => T): T | Promise<T> =>
    turns === null ? make() : pause(turns).then(() => make());
  const environment: Steppable<number, number> = {
    id: 'counter',
    actions: ['more', 'less'],
    reset: (seed) =>
      later(() => {
        [count, open] = [Number(seed), 1];
        return { won: false };
      }),
    step: (action) =>
      later(() => {
        count += action === 0 ? 1 : -1;
        if (fails(count)) throw new Error(`fails at ${count}`);
        const terminated = count === 3;
        return { reward: terminated ? 1 : 0, terminated, truncated: false, info: { won: terminated } };
      }),
    text: () => `at ${count}`,
    observe: () => ({}),
    frame: () => ({ width: 1, height: 1, data: new Uint8Array(3) }),
    state: () => count,
    restore: (state) => later(() => void (count = state)),
    close: async () => void (open = 0),
  };
  return { environment, isOpen: () => open === 1, at: () => count };
}

const actions = [
  [0, 0, 1],
  [0, 1, 0],
  [1, 0, 0],
  [0, 0, 0],
];

async function played(delays: readonly (number | null)[]) {
  const heard: string[] = [];
  const vector = vectorOf<number>(
    delays.map((turns) => counter(turns).environment),
    {
      seedOf: (place, episode) => (heard.push(`seed ${place}:${episode}`), place),
      ended: (place) => void heard.push(`ended ${place}`),
    },
  );
  await vector.reset();
  const outcomes = [];
  for (const each of actions) outcomes.push(await vector.step(each));
  return { outcomes, heard, state: vector.state() };
}

describe('a vector of environments with asynchronous steps', () => {
  it('gives the results of synchronous ones, whatever the timing', async () => {
    const expected = await played([null, null, null]);
    // 0 1 2 1 2; 1 2 1 2 3, the end; 2 1 2 3, the end, and again 2 3
    expect(expected.heard.slice(3)).toEqual([
      'ended 2',
      'seed 2:1',
      'ended 1',
      'seed 1:1',
      'ended 2',
      'seed 2:2',
    ]);
    expect(await played([3, 1, 0])).toEqual(expected);
    expect(await played([0, null, 2])).toEqual(expected);
  });

  it('returns synchronously if nothing is asynchronous', () => {
    const vector = vectorOf([counter(null).environment, counter(null).environment], {
      seedOf: (place) => place,
    });
    expect(vector.reset()).toBeUndefined();
    expect(vector.step([0, 0])).toHaveLength(2);
    expect(vector.restore(vector.state())).toBeUndefined();
  });

  it('fails with the first error in order, after all steps have finished', async () => {
    const slow = counter(5);
    const parts = [slow, counter(0, (count) => count === 2), counter(1, (count) => count === 3)];
    const vector = vectorOf(
      parts.map(({ environment }) => environment),
      { seedOf: (place) => place },
    );
    await vector.reset();
    await expect(vector.step([0, 0, 0])).rejects.toThrow('fails at 2');
    expect(slow.at()).toBe(1);
    // a synchronous error does not interrupt the others
    const mixed = [counter(5), counter(null, () => true)];
    const second = vectorOf(
      mixed.map(({ environment }) => environment),
      { seedOf: () => 0 },
    );
    await second.reset();
    await expect(second.step([0, 0])).rejects.toThrow('fails at 1');
    expect(mixed[0]!.at()).toBe(1);
  });

  it('restores all places concurrently, and leaves their old episodes', async () => {
    const parts = [counter(2), counter(1)];
    const vector = vectorOf(
      parts.map(({ environment }) => environment),
      { seedOf: () => 0 },
    );
    await vector.reset();
    await vector.step([0, 1]);
    const state = vector.state();
    await vector.step([0, 1]);
    await vector.restore(state);
    expect(parts.map(({ at }) => at())).toEqual([1, -1]);
    expect(parts.map(({ isOpen }) => isOpen())).toEqual([true, true]);
    await vector.close();
    expect(parts.map(({ isOpen }) => isOpen())).toEqual([false, false]);
  });
});

it("passes on an environment's moment", () => {
  const { environment } = counter(null);
  const observation = { text: 'a door', frames: [], admissible: ['open'] };
  const moment = { history: { initial: 'a room', turns: [] }, observation };
  expect(seenOf({ ...environment, moment: () => moment }, { frames: false })).toMatchObject({
    moment,
    frame: null,
  });
  expect('moment' in seenOf(environment, { frames: false })).toBe(false);
});
