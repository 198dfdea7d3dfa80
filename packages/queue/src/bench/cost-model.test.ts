/** Predictions that one can make by hand. */
import { expect, it } from 'vitest';
import { groupMs, traffic } from './cost-model.ts';

const free = { askMs: 0, jobMs: 0 };
const group = (episodesMs: readonly number[], againMs = 0, updateMs = 0) => ({
  episodesMs,
  againMs,
  updateMs,
});

it('equal episodes take as many turns as the workers need', () => {
  // 8 episodes: 1, 3 and 8 workers need 8, 3 and 1 turns of 100 ms
  const times = [1, 3, 8, 9].map((workers) => groupMs(group(Array(8).fill(100)), workers, free));
  expect(times).toEqual([800, 300, 100, 100]);
});

it('whoever is free first takes the next one', () => {
  // two workers: 3 and 3, then 2 and 2 until 5, then the last 2 until 7
  expect(groupMs(group([3, 3, 2, 2, 2]), 2, free)).toBe(7);
  // the long one last: 1 and 1, then 9 from 1 on
  expect(groupMs(group([1, 1, 9]), 2, free)).toBe(10);
});

it('is never more than Graham’s bound for lists, and never less than the work or the longest', () => {
  // sum / workers ≤ time ≤ sum / workers + (1 - 1 / workers) longest (Graham 1969)
  const times = Array.from({ length: 40 }, (_, place) => 50 + ((place * 37) % 101));
  const [sum, longest] = [times.reduce((a, b) => a + b), Math.max(...times)];
  for (const workers of [1, 2, 7, 16, 64]) {
    const ms = groupMs(group(times), workers, free);
    expect(ms).toBeGreaterThanOrEqual(Math.max(sum / workers, longest));
    expect(ms).toBeLessThanOrEqual(sum / workers + (1 - 1 / workers) * longest);
  }
});

it('going through episodes runs beside the playing, and is what counts where it takes longer', () => {
  // four at 100 ms come at once: 4 times 30 ms follow, then the update
  expect(groupMs(group([100, 100, 100, 100], 30, 500), 4, free)).toBe(100 + 120 + 500);
  // one worker: three of them are gone through while the next is played
  expect(groupMs(group([100, 100, 100, 100], 30, 500), 1, free)).toBe(400 + 30 + 500);
});

it('equal episodes follow the formula of docs/scale.md', () => {
  // max(⌈E / W⌉ t + R g, t + E g) + u, R of them in the last turn; either all turns leave time to go through them, or none
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

it('a queue takes its time once a group, and for each job, one after the other', () => {
  // one worker: lease 1, play 100, result and lease 1, play 100, result 1
  expect(groupMs(group([100, 100]), 1, { askMs: 5, jobMs: 1 })).toBe(5 + 203);
  // four idle workers begin at 10, 20, 30 and 40 and are back at 110 to 140; their results are there at 120, 130, 140, 150
  expect(groupMs(group([100, 100, 100, 100]), 4, { askMs: 0, jobMs: 10 })).toBe(150);
  // the first one's next job begins at 120, and ends at 220 with its result at 230
  expect(groupMs(group([100, 100, 100, 100, 100]), 4, { askMs: 0, jobMs: 10 })).toBe(230);
  // where playing takes no time, n jobs cost n + 1 of Redis for one worker
  expect(groupMs(group(Array(9).fill(0)), 1, { askMs: 0, jobMs: 10 })).toBe(100);
});

it('versions go to every worker that plays, episodes to the one that learns', () => {
  const sizes = { groups: 2, episodes: 3, workers: 5, versionBytes: 10, episodeBytes: 100, redisBytes: 7 };
  expect(traffic(sizes)).toEqual({ stored: 620, ofTrainer: 620, ofWorkers: 660, ofRedis: 42 });
});
