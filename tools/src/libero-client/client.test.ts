/**
 * The Python client of LIBERO against a stand-in (`tools/libero-client/simulated`), since LIBERO needs MuJoCo and its
 * own downloads. Starts, pictures, numeric actions, limits and faults reach a run over version 2 of the wire. The
 * stand-in needs no Python packages.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHttpWorld, type HttpWorld } from '@emac/bridge';
import type { Environment, Observation, Task } from '@emac/core';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { pythonHas, startPython } from '../alfworld-client/python.ts';

const client = fileURLToPath(new URL('../../libero-client', import.meta.url));
const env = { PYTHONPATH: join(client, 'simulated') };
const program = join(client, 'play.py');
const patience = 600_000;

interface Playing {
  readonly environment: Environment;
  readonly tasks: readonly Task[];
  readonly world: HttpWorld;
}

/** Does the work with a playing client; returns its messages and status. */
async function withClient(flags: readonly string[], work: (playing: Playing) => Promise<void>) {
  const world = await openHttpWorld({ port: 0, stepSeconds: 900, restarts: 0 });
  const python = startPython([program, '--connect', world.address, '--step-seconds', '900', ...flags], {
    env,
  });
  try {
    const connected = await world.connected();
    if (connected.wire === 'published') throw new Error('the client speaks version 2');
    const tasks = connected.games;
    await work({ environment: world.environment({ tasks, count: 0, pictures: true }), tasks, world });
  } finally {
    await world.close();
  }
  return python.ended;
}

const right = '0.25 0 0 0 0 0 -1';
const closed = '0.25 0 0 0 0 0 1';

/** First and last pixel. */
function corners({ frames }: Observation): [number[], number[]] {
  const { data } = frames[0]!;
  return [[...data.subarray(0, 3)], [...data.subarray(-3)]];
}

describe.skipIf(!pythonHas())('the Python client of LIBERO (needs Python 3.9)', () => {
  it(
    'begins at the initial state after ten steps at rest, and shows it turned by 180 degrees',
    async () => {
      const { status, stderr } = await withClient(
        ['--suite', 'libero_goal', '--task', '3', '--states', '20', '--size', '16'],
        async ({ environment, tasks }) => {
          expect(tasks).toHaveLength(20);
          expect(tasks[17]).toEqual({ id: 'libero_goal/3/17', type: 'libero_goal/3' });
          const episode = await environment.begin(tasks[17]!, 'seed');
          expect(episode.first).toMatchObject({ text: 'push block 3 to the right', admissible: null });
          expect(episode.first.frames[0]).toMatchObject({ width: 16, height: 16 });
          // the stand-in's first pixel is (1, 2, 3), its last (at rest, state, actions)
          expect(corners(episode.first)).toEqual([
            [10, 17, 0],
            [1, 2, 3],
          ]);
          await episode.close();
        },
      );
      expect([status, stderr]).toEqual([0, expect.stringContaining('20 initial states for http')]);
    },
    patience,
  );

  it(
    'carries actions out, and is won when LIBERO says so',
    async () => {
      await withClient(['--size', '16', '--task', '0'], async ({ environment, tasks }) => {
        const episode = await environment.begin(tasks[0]!, 'seed');
        const steps = [];
        for (const command of [right, right, right, right, closed]) steps.push(await episode.step(command));
        // a metre to the right with an open gripper is not the goal yet
        expect(steps.map(({ reward, terminated }) => [reward, terminated])).toEqual([
          [0, false],
          [0, false],
          [0, false],
          [0, false],
          [1, true],
        ]);
        expect(steps.at(-1)!.info.won).toBe(true);
        expect(corners(steps[3]!.observation)[0]).toEqual([10, 0, 4]);
        await episode.close();
        // the environment of a task is used again
        const again = await environment.begin(tasks[1]!, 'seed');
        expect(corners(again.first)[0]).toEqual([10, 1, 0]);
        await again.close();
      });
    },
    patience,
  );

  it(
    'reports an invalid action, and does nothing',
    async () => {
      await withClient(['--size', '16', '--task', '0'], async ({ environment, tasks }) => {
        const episode = await environment.begin(tasks[0]!, 'seed');
        for (const command of ['go right', '1 2 3', '0 0 0 0 0 0 nan']) {
          const { observation } = await episode.step(command);
          expect(observation.text).toContain('seven finite numbers');
          expect(corners(observation)[0]).toEqual([10, 0, 0]);
        }
        expect((await episode.step(right)).observation.text).toBe('push block 0 to the right');
        await episode.close();
      });
    },
    patience,
  );

  it.each([
    ['libero_spatial', 220],
    ...alsoLong<[string, number]>([
      ['libero_object', 280],
      ['libero_goal', 300],
      ['libero_10', 520],
      ['libero_90', 400],
    ]),
  ])(
    'cuts %s off after %i actions',
    async (suite, limit) => {
      const flags = ['--suite', suite, '--size', '8', '--task', '1', '--states', '1'];
      await withClient(flags, async ({ environment, tasks }) => {
        const episode = await environment.begin(tasks[0]!, 'seed');
        let taken = 0;
        for (let isOver = false; !isOver; taken++) {
          const step = await episode.step('0 0 0.1 0 0 0 1');
          isOver = step.terminated || step.truncated;
          expect([step.terminated, step.truncated]).toEqual([false, taken + 1 === limit]);
        }
        expect(taken).toBe(limit);
        await episode.close();
      });
    },
    patience,
  );

  it(
    'loses only the episode whose simulator fails',
    async () => {
      const flags = ['--size', '16', '--task', '9', '--task', '0', '--states', '1'];
      const { status, stderr } = await withClient(flags, async ({ environment, tasks }) => {
        expect(tasks.map(({ id }) => id)).toEqual(['libero_spatial/9/0', 'libero_spatial/0/0']);
        const broken = await environment.begin(tasks[0]!, 'seed');
        await broken.step(right);
        await broken.step(right);
        await expect(broken.step(right)).rejects.toThrow(/SimulatorBroke/);
        const next = await environment.begin(tasks[1]!, 'seed');
        expect(corners((await next.step(right)).observation)[0]).toEqual([10, 0, 1]);
        await next.close();
      });
      expect([status, stderr]).toEqual([0, expect.stringContaining('the simulator has ended')]);
    },
    patience,
  );

  it('refuses missing tasks', async () => {
    const said = async (...flags: readonly string[]) => {
      const argv = [program, '--connect', 'http://127.0.0.1:1', '--retry-seconds', '0', ...flags];
      const { status, stderr } = await startPython(argv, { env }).ended;
      return [status, stderr];
    };
    expect(await said('--task', '10')).toEqual([
      66,
      expect.stringContaining('must be a task of libero_spatial, 0 to 9'),
    ]);
    expect(await said('--states', '51')).toEqual([66, expect.stringContaining('50 initial states')]);
    expect(await said('--suite', 'libero_100')).toEqual([64, expect.stringContaining('--suite')]);
    expect(await said()).toEqual([69, expect.stringContaining('does not answer')]);
  });
});
