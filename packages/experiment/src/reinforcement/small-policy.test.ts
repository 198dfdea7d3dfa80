/** Convolutions over the picture of a grid world, trained, stored and opened again. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainedIn } from '@emac/opening';
import { resolveCheckpoint } from '@emac/runs';
import type { GivenPpoConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();

/** One room, always the same: nine ahead and to the right of the start is the goal. */
const room: GivenPpoConfig = {
  env: 'MiniGrid-Empty-5x5-v0',
  policy: 'cnn',
  play: { environments: 8, stepsPerUpdate: 32, environmentSteps: 2048 },
  optimization: { minibatchSize: 128 },
  evaluation: { episodes: 20, temperature: 1 },
};

describe('a convolutional network', () => {
  it('learns a room from its picture, and is evaluated from its run as it ended', async () => {
    const { folder: run, before, after } = await trainPpo({ ...room, out: join(folder, 'runs') });
    // at random the goal is found now and then; 1 − 0.9 · steps / 100 each time, with 5 steps at best
    expect(after!.mean_return).toBeGreaterThan(before!.mean_return + 0.1);
    const { kind, result } = await evaluatePolicy({ ckpt: run, numGames: 20, temperature: 1 });
    expect([kind, result]).toMatchObject(['steps', { games: after!.games }]);
    // the environment is read from a checkpoint that is as it was written
    expect(trainedIn(run)).toBe(room.env);
    appendFileSync(join(resolveCheckpoint(run).folder, 'state.json'), ' ');
    expect(() => trainedIn(run)).toThrow(expect.objectContaining({ code: 'data' }) as Error);
  });
});
