/** Predictions that one can make by hand. */
import { expect, it } from 'vitest';
import { groupMs, traffic } from './cost-model.ts';

const free = { askMs: 0, jobMs: 0, wakeMs: 0 };
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

it('a queue takes its time once a group, and for each job', () => {
  // two jobs of one worker: 2 (100 + 1); the last result is taken in 1 ms more
  expect(groupMs(group([100, 100]), 1, { askMs: 5, jobMs: 1, wakeMs: 9 })).toBe(5 + 202 + 1);
  // four idle workers begin at 0, 10, 20 and 30; the first is back at 100
  expect(groupMs(group([100, 100, 100, 100]), 4, { ...free, wakeMs: 10 })).toBe(130);
  expect(groupMs(group([100, 100, 100, 100, 100]), 4, { ...free, wakeMs: 10 })).toBe(200);
});

it('versions go to every worker that plays, episodes to the one that learns', () => {
  const sizes = { groups: 2, episodes: 3, workers: 5, versionBytes: 10, episodeBytes: 100, redisBytes: 7 };
  expect(traffic(sizes)).toEqual({ stored: 620, ofTrainer: 620, ofWorkers: 660, ofRedis: 42 });
});
