/** `emac env serve` on a free port, in this process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();

/** Serves while `use` asks, and returns the command's end. */
async function served(argv: readonly string[], use: (address: string) => Promise<void>) {
  const interruption = new AbortController();
  let ended: ReturnType<typeof emac> | undefined;
  const address = await new Promise<string>((resolve, reject) => {
    ended = emac(['env', 'serve', ...argv, '--openenv', '--port', '0'], {
      interruption,
      onStdout: (text) => resolve(text.trim().split(' ').at(-1)!),
    });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  await use(address);
  interruption.abort();
  return ended!;
}

const json = async (url: string, body?: object): Promise<unknown> => {
  const post = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
  return (await fetch(url, body ? post : {})).json();
};

describe('emac env serve', () => {
  it('serves a level: its tasks, and an episode by its seed', async () => {
    const { status, stdout } = await served(['MiniGrid-Empty-5x5'], async (address) => {
      expect(await json(`${address}/metadata`)).toMatchObject({ name: 'MiniGrid-Empty-5x5-v0' });
      const range = { split: 'test', start: 3, stop: 4 };
      // held-out seeds are odd
      expect(await json(`${address}/MiniGrid-Empty-5x5-v0/task_range`, range)).toMatchObject({
        tasks: [{ id: 'MiniGrid-Empty-5x5-v0/7' }],
      });
      const first = {
        observation: { pictures: [expect.stringMatching(/^iVBOR/)] },
        reward: null,
        done: false,
      };
      expect(await json(`${address}/reset`, { split: 'test', seed: 3 })).toMatchObject(first);
      // straight ahead twice, a turn, twice ahead: 5 of 100 steps, 1 − 0.9 · 5/100
      for (const action of ['move forward', 'move forward', 'turn right', 'move forward'])
        expect(await json(`${address}/step`, { action: { action } })).toMatchObject({
          reward: 0,
          done: false,
        });
      const last = { reward: 0.955, done: true, metadata: { won: true } };
      expect(await json(`${address}/step`, { action: { action: 'move forward' } })).toMatchObject(last);
    });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^serving MiniGrid-Empty-5x5-v0: http:/)]);
  });

  it('serves what another emac evaluates over the network', async () => {
    await served(['gym_cards/NumberLine-v0', '--observe', 'text'], async (address) => {
      const env = `openenv:${address}`;
      const asked = ['eval', '--env', env, '--policy', 'random', '--eval-episodes', '3', '--json', '--quiet'];
      const { status, stdout, stderr } = await emac(asked);
      expect([status, stderr]).toEqual([0, '']);
      const [row] = (JSON.parse(stdout) as { policies: { mean_steps: number }[] }).policies;
      expect(row).toMatchObject({ policy: 'random', episodes: 3 });
      // an episode has at most 10 steps (gym_cards' own limit)
      expect(row!.mean_steps).toBeGreaterThanOrEqual(1);
      expect(row!.mean_steps).toBeLessThanOrEqual(10);
    });
  });

  it('serves what another emac collects from, labelled by a file', async () => {
    const expert = join(folder, 'forward.mjs');
    writeFileSync(expert, "export const label = () => 'move forward';");
    await served(['MiniGrid-Empty-5x5', '--observe', 'text', '--max-steps', '2'], async (address) => {
      const out = join(folder, 'collected');
      const asked = ['collect', '--env', `openenv:${address}`, '--num-samples', '5', '--out', out, '--quiet'];
      const without = await emac(asked);
      expect([without.status, without.stderr]).toEqual([
        64,
        expect.stringContaining('has no scripted player to collect from; give one with --expert FILE'),
      ]);
      expect(await emac([...asked, '--expert', expert, '--form', 'messages'])).toMatchObject({ status: 0 });
      const records = JSON.parse(readFileSync(join(out, 'train.json'), 'utf8')) as {
        messages: { content: string }[];
      }[];
      // two steps of two episodes, one of the third
      expect(records.map(({ messages }) => messages.at(-1)!.content)).toEqual(Array(5).fill('move forward'));
      expect(readFileSync(join(out, 'train.json'), 'utf8')).toContain('get to the green goal square');
    });
  });

  it('serves the games of a folder, with a step limit', async () => {
    const { status } = await served(
      ['alfworld', '--games', 'builtin:valid_seen', '--max-steps', '1', '--observe', 'text'],
      async (address) => {
        const { tasks } = (await json(`${address}/alfworld/tasks`, { split: 'train' })) as {
          tasks: { id: string }[];
        };
        expect(tasks[0]!.id).toMatch(/valid_seen/);
        await json(`${address}/reset`, { index: 0 });
        expect(await json(`${address}/step`, { action: { action: 'look' } })).toMatchObject({
          done: true,
          metadata: { truncated: true, won: false },
          observation: { pictures: [] },
        });
      },
    );
    expect(status).toBe(0);
  });

  it('refuses what it cannot serve', async () => {
    expect(await emac(['env', 'serve', 'alfworld'])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('add --openenv') as string,
    });
    const games = ['env', 'serve', 'NumberLine', '--openenv', '--games', 'builtin:train'];
    expect(await emac(games)).toMatchObject({ status: 64 });
    expect(await emac(['env', 'serve', 'remote/CartPole-v1', '--openenv'])).toMatchObject({ status: 64 });
  });
});
