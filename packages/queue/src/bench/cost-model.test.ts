/** Predictions worked out by hand. */
import { expect, it } from 'vitest';
import { groupMs, traffic } from './cost-model.ts';

const free = { askMs: 0, jobMs: 0 };
const group = (episodesMs: readonly number[], againMs = 0, updateMs = 0) => ({
  episodesMs,
  againMs,
  updateMs,
});

it('takes as many turns for equal episodes as the workers need', () => {
  // 8 episodes: 1, 3 and 8 workers need 8, 3 and 1 turns of 100 ms
  const times = [1, 3, 8, 9].map((workers) => groupMs(group(Array(8).fill(100)), workers, free));
  expect(times).toEqual([800, 300, 100, 100]);
});

it('gives the next job to the first free worker', () => {
  // two workers: 3 and 3, then 2 and 2 until 5, then the last 2 until 7
  expect(groupMs(group([3, 3, 2, 2, 2]), 2, free)).toBe(7);
  // the long one last: 1 and 1, then 9 from 1 on
  expect(groupMs(group([1, 1, 9]), 2, free)).toBe(10);
});

it("is never above Graham's bound for lists, and never below the total work or the longest job", () => {
  // sum / workers ≤ time ≤ sum / workers + (1 - 1 / workers) longest (Graham 1969)
  const times = Array.from({ length: 40 }, (_, place) => 50 + ((place * 37) % 101));
  const [sum, longest] = [times.reduce((a, b) => a + b), Math.max(...times)];
  for (const workers of [1, 2, 7, 16, 64]) {
    const ms = groupMs(group(times), workers, free);
    expect(ms).toBeGreaterThanOrEqual(Math.max(sum / workers, longest));
    expect(ms).toBeLessThanOrEqual(sum / workers + (1 - 1 / workers) * longest);
  }
});

it('overlaps replays with playing, and counts the longer of both', () => {
  // four at 100 ms arrive at once: 4 replays of 30 ms follow, then the update
  expect(groupMs(group([100, 100, 100, 100], 30, 500), 4, free)).toBe(100 + 120 + 500);
  // one worker: three are replayed while the next is played
  expect(groupMs(group([100, 100, 100, 100], 30, 500), 1, free)).toBe(400 + 30 + 500);
});

it('follows the formula of docs/reference/workers.md for equal episodes', () => {
  // max(⌈E / W⌉ t + R g, t + E g) + u, with R episodes in the last turn; either every turn or none leaves time for the
  // replays
  const cases: readonly (readonly [episodes: number, workers: number, t: number, g: number, u: number])[] = [
    [64, 32, 20_000, 300, 30_000],
    [10, 3, 100, 50, 7],
    [7, 7, 50, 10, 0],
    [12, 5, 90, 3, 40],
  ];
  for (const [episodes, workers, t, g, u] of cases) {
    const turns = Math.ceil(episodes / workers);
    const last = episodes - workers * (turns - 1);
    const expected = Math.max(turns * t + last * g, t + episodes * g) + u;
    expect(groupMs(group(Array(episodes).fill(t), g, u), workers, free)).toBe(expected);
  }
});

it("adds the queue's time once per group, and one by one for each job", () => {
  // one worker: lease 1, play 100, result and lease 1, play 100, result 1
  expect(groupMs(group([100, 100]), 1, { askMs: 5, jobMs: 1 })).toBe(5 + 203);
  // four idle workers begin at 10, 20, 30, 40 and finish at 110 to 140; results are in at 120, 130, 140, 150
  expect(groupMs(group([100, 100, 100, 100]), 4, { askMs: 0, jobMs: 10 })).toBe(150);
  // the first worker's next job begins at 120 and ends at 220; its result is in at 230
  expect(groupMs(group([100, 100, 100, 100, 100]), 4, { askMs: 0, jobMs: 10 })).toBe(230);
  // with no playing time, n jobs cost one worker n + 1 Redis turns
  expect(groupMs(group(Array(9).fill(0)), 1, { askMs: 0, jobMs: 10 })).toBe(100);
});

it('counts versions for every worker that plays, and episodes for the trainer', () => {
  const sizes = { groups: 2, episodes: 3, workers: 5, versionBytes: 10, episodeBytes: 100, redisBytes: 7 };
  expect(traffic(sizes)).toEqual({ stored: 620, ofTrainer: 620, ofWorkers: 660, ofRedis: 42 });
});
