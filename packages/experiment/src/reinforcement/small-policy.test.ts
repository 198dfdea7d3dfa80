/** Convolutions over the picture of a grid world, trained, stored and opened again. */
import { join } from 'node:path';
import type { GivenPpoConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluateEnvironment } from './evaluate-environment.ts';
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
    const asked = { env: room.env, ckpt: run, episodes: 20, temperature: 1, seed: 0 };
    const { result } = await evaluateEnvironment(asked);
    expect(result.games).toEqual(after!.games);
  });
});
