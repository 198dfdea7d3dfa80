import { describe, expect, it } from 'vitest';
import type { StepEnvironment } from './step-environment.ts';
import { vectorOf } from './vector.ts';

/**
 * Counts from its seed: `more` adds one, `less` subtracts one. At 3 it terminates with reward 1, after four steps it is truncated.
 * Without a seed the next episode starts at 0.
 */
function counter(id = 'counter'): StepEnvironment<number[]> {
  let [count, steps] = [NaN, 0];
  return {
    id,
    actions: ['More', 'less'],
    reset: (seed) => {
      [count, steps] = [Number(seed ?? 0), 0];
      return { won: false, count };
    },
    step: (action) => {
      count += action === 0 ? 1 : -1;
      const terminated = count === 3;
      const info = { won: terminated, count };
      return { reward: terminated ? 1 : 0, terminated, truncated: ++steps === 4, info };
    },
    text: () => `at ${count}`,
    observe: () => ({ count: { shape: [1], data: Int32Array.of(count) } }),
    frame: () => ({ width: 1, height: 1, data: Uint8Array.of(count, 0, 0) }),
    state: () => [count, steps],
    restore: (state) => ([count, steps] = state as [number, number]),
  };
}

const seedOf = (place: number, episode: number) => (episode === 0 ? place : null);

describe('a vector', () => {
  const started = (lastFrames = false) => {
    const vector = vectorOf([counter(), counter(), counter()], { seedOf, lastFrames });
    vector.reset();
    return vector;
  };
  const counts = (vector: ReturnType<typeof started>) =>
    vector.environments.map((environment) => environment.text());

  it('begins the next episode when one ends, and keeps the last observation', async () => {
    const vector = started(true);
    const [first, second, third] = await vector.step([0, 1, 0]);
    expect([first!.last, second!.last]).toEqual([null, null]);
    expect(third).toEqual({
      reward: 1,
      terminated: true,
      truncated: false,
      info: { won: true, count: 3 },
      last: {
        text: 'at 3',
        arrays: { count: { shape: [1], data: Int32Array.of(3) } },
        frame: { width: 1, height: 1, data: Uint8Array.of(3, 0, 0) },
      },
    });
    expect(counts(vector)).toEqual(['at 1', 'at 0', 'at 0']);
  });

  it('distinguishes truncation, termination, and both at once', async () => {
    const vector = started();
    // 0 → 1 → 2 → 1 → 2: truncated; 1 → 0 → 1 → 2 → 3: both
    for (const actions of [
      [0, 1, 0],
      [0, 0, 1],
      [1, 0, 1],
    ])
      await vector.step(actions);
    const last = await vector.step([0, 0, 1]);
    const ends = last.map(({ terminated, truncated, last }) => [terminated, truncated, last?.text]);
    expect(ends).toEqual([
      [false, true, 'at 2'],
      [true, true, 'at 3'],
      [false, false, undefined],
    ]);
    expect(last[0]!.last!.frame).toBeNull();
  });

  it("asks for every episode's seed, by place and number, and continues counting after a restore", () => {
    const asked: string[] = [];
    const options = {
      seedOf: (place: number, episode: number) => {
        asked.push(`${place}:${episode}`);
        return 2;
      },
    };
    const vector = vectorOf([counter(), counter()], options);
    vector.reset();
    vector.step([0, 1]);
    const again = vectorOf([counter(), counter()], options);
    again.restore(vector.state());
    again.step([0, 1]);
    expect(asked).toEqual(['0:0', '1:0', '0:1', '0:2']);
    expect(vector.state().episodes).toEqual([1, 0]);
  });

  it("reports an episode's outcome before it asks for the next seed", () => {
    const heard: string[] = [];
    const vector = vectorOf([counter(), counter()], {
      seedOf: (place, episode) => (heard.push(`seed ${place}:${episode}`), 2),
      ended: (place, { reward }) => void heard.push(`ended ${place}: ${reward}`),
    });
    vector.reset();
    vector.step([0, 1]);
    expect(heard).toEqual(['seed 0:0', 'seed 1:0', 'ended 0: 1', 'seed 0:1']);
  });

  it('continues from a state as if uninterrupted', () => {
    const vector = started();
    vector.step([0, 0, 1]);
    const state = JSON.parse(JSON.stringify(vector.state())) as ReturnType<typeof vector.state>;
    const again = started();
    again.restore(state);
    const actions = [0, 1, 0];
    expect([again.step(actions), again.step(actions)]).toEqual([vector.step(actions), vector.step(actions)]);
    expect(again.state()).toEqual(vector.state());
  });

  it('rejects a wrong number of actions or environments, and one environment in two places', () => {
    const vector = started();
    expect(() => vector.step([0, 0])).toThrow(/3 actions, .*got 2/);
    expect(() => vectorOf([counter()], { seedOf }).restore(vector.state())).toThrow(
      /of 1 environments, got 3/,
    );
    const one = counter();
    expect(() => vectorOf([one, one], { seedOf })).toThrow(/must be different/);
  });
});
