/** PPO in environments that clients play and describe, over version 2 of the wire. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Described } from '@emac/bridge';
import type { StepEnvironment } from '@emac/core';
import { miniGrid } from '@emac/minigrid';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { describedDoors, doors, seeded, withClients } from './described-clients.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();

const level = 'MiniGrid-Empty-5x5-v0';
const grid: Described = {
  // the client's own names for them, as the Python package has them
  actions: ['left', 'right', 'forward', 'pickup', 'drop', 'toggle', 'done'],
  arrays: { image: { shape: [7, 7, 3], type: 'uint8' }, direction: { shape: [], type: 'int32' } },
  picture: null,
  steps: 100,
  rewards: [0, 1],
};
const named = (): StepEnvironment => Object.assign(miniGrid(level), { actions: grid.actions! });
const world = (clients: number) => ({ kind: 'http', port: 0, clients }) as const;

const inGrid: GivenPpoConfig = {
  env: level,
  policy: 'mlp',
  play: { environments: 2, environmentSteps: 64, stepsPerUpdate: 16 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

const inDoors: GivenPpoConfig = {
  env: 'remote/Doors-v0',
  policy: 'mlp',
  world: world(4),
  play: { environmentSteps: 512, stepsPerUpdate: 16 },
  optimization: { learningRate: 0.02 },
  evaluation: { episodes: 6 },
};

const contentOf = (run: string, file: string) => readFileSync(join(run, file), 'utf8');

describe('a run of PPO with clients', () => {
  it('learns in MiniGrid what it learns there by itself', async () => {
    const own = await trainPpo({ ...inGrid, out: join(folder, 'own') }, plainHost());
    const host = withClients(seeded(level, named), grid, 2);
    const remote = await trainPpo({ ...inGrid, world: world(2), out: join(folder, 'remote') }, host);
    expect(contentOf(remote.folder, 'metrics.jsonl')).toBe(contentOf(own.folder, 'metrics.jsonl'));
    // the checkpoint also keeps how to return to the episodes under way, in `state.json`
    for (const file of ['network.safetensors', 'optimizer.safetensors'])
      expect(contentOf(remote.folder, `checkpoints/00000066/${file}`)).toBe(
        contentOf(own.folder, `checkpoints/00000066/${file}`),
      );
  });

  it('learns in an environment that only its clients know, and is evaluated there', async () => {
    const {
      folder: run,
      before,
      after,
    } = await trainPpo({ ...inDoors, out: join(folder, 'doors') }, withClients(doors(4), describedDoors, 4));
    // one coin a step for four steps
    expect(after!.games.map(({ return: sum }) => sum)).toEqual([4, 4, 4, 4, 4, 4]);
    expect(before!.mean_return).toBeLessThan(4);
    expect(after!.games[0]!.id).toMatch(/^remote\/Doors-v0\/\d+$/);
    const asked = { env: 'remote/Doors-v0', ckpt: run, numGames: 6 };
    const evaluated = await evaluatedSteps(
      {
        ...asked,
        world: world(2),
      },
      withClients(doors(4), describedDoors, 2),
    );
    expect(evaluated.result.games).toEqual(after!.games);
  });

  it('asks a model of words for the names of the actions', async () => {
    const { after } = await trainPpo(
      {
        ...inDoors,
        policy: 'emma-tiny',
        world: world(2),
        play: { environmentSteps: 8, stepsPerUpdate: 2, maxSteps: 2 },
        optimization: { passes: 1, minibatchSize: 4, valueInitSteps: 0, targetKl: null },
        trained: { rank: 2 },
        value: { hiddenWidths: [4] },
        speech: { maxLength: 8, maxPromptTokens: 256 },
        evaluation: { episodes: 2 },
        out: join(folder, 'words'),
      },
      withClients(doors(4), describedDoors, 2),
    );
    expect(after!.games.map(({ steps }) => steps)).toEqual([2, 2]);
  });

  it.each([
    [
      'the clients list games',
      undefined,
      {},
      /needs clients that describe their environment; these list games/,
    ],
    [
      'the clients have another one',
      describedDoors,
      { env: 'remote/Other-v0' },
      /needs clients with Other-v0, these have Doors-v0/,
    ],
    ['the actions are texts', { ...describedDoors, actions: null }, {}, /the clients number no actions/],
    [
      'there are no pictures',
      describedDoors,
      { policy: 'cnn' },
      /the clients of remote\/Doors-v0 have none; give mlp/,
    ],
    ['there are no arrays', { ...describedDoors, arrays: {} }, {}, /does not define how its arrays are read/],
  ] as const)('is refused if %s', async (_why, described, more, message) => {
    const host = withClients(doors(4), described as Described | undefined, 1);
    const asked = { ...inDoors, world: world(1), play: { environmentSteps: 8, stepsPerUpdate: 2 }, ...more };
    await expect(trainPpo({ ...asked, out: join(folder, 'refused') }, host)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message) as string,
    });
  });

  it.each([
    [{ env: 'remote/Doors-v0', world: { kind: 'own' } }, /played by a client only; give --world http/],
    [
      { env: level, play: { maxSteps: 5 } },
      /--max-steps 5: clients have the step limit of MiniGrid-Empty-5x5-v0/,
    ],
    [
      { env: 'tabletop/spatial' },
      /--world http: is for the games of ALFWorld, remote\/… and gym_cards\/… or MiniGrid-…/,
    ],
    [{ curriculum: { formula: 'half' } }, /--curriculum: belongs to emac’s own world/],
  ] as const)('is refused before anybody is waited for: %o', async (more, message) => {
    await expect(
      trainPpo(
        { ...inDoors, world: world(1), ...(more as GivenPpoConfig), out: join(folder, 'refused') },
        plainHost(),
      ),
    ).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(message) as string });
  });
});
