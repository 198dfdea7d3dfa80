/** PPO and GRPO over worker processes on a real Redis: a worker and the trainer are killed, and the runs give the bytes of one process. Needs the build. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { runIn, speaking, startWorker } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();

function freshFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const language = [
  ...['ppo', '--env', 'gym_cards/NumberLine-v0', '--policy', 'rl-tiny', '--num-processes', '3'],
  ...['--num-steps', '2', '--envs-together', '1', '--steps', '24', '--lora-rank', '2'],
  ...['--max-new-tokens', '16', '--eval-episodes', '0', '--checkpoint-every', '1', '--json'],
  ...['--gradient-shards', '2'],
];

// experiment's tests of workers try stops instead of kills, over workers in one process
describe.runIf(isLong && isBuilt && hasRedis)(`updates over worker processes (${needsRedis})`, () => {
  let killings = 0;

  it.each([
    ['PPO of a model, played an update ahead', 'ppo', [...language, '--max-staleness', '1']],
    ['PPO of a model, with values before every token', 'ppo', [...language, '--token-lambda', '0.9']],
    ['GRPO of a speaker', 'grpo', speaking],
    ['GRPO of a speaker, answered two updates ahead', 'grpo', [...speaking, '--max-staleness', '2']],
  ] as const)(
    '%s: gives the bytes of one process after a worker and the trainer are killed',
    async (_, name, words) => {
      const own = freshFolder(`${name}-${++killings}`);
      const [alone, over] = ['alone', 'over'].map((each) => join(own, each)) as [string, string];
      for (const path of [alone, over]) mkdirSync(path);
      expect(await emac([...words, '--out', alone])).toMatchObject({ status: 0 });
      const redis = await startRedis();
      const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
      const [first, second] = [startWorker(queue), startWorker(queue)];
      const replaced = first.hasSaid(/played/).then(() => {
        first.child.kill('SIGKILL');
        return startWorker(queue);
      });
      const killed = await emacProcess([...words, '--out', over, ...queue], {
        ...once(/("kind":"update"[^]*){2}/, (child) => child.kill('SIGKILL')),
      });
      expect(killed.signal).toBe('SIGKILL');
      const { run } = runIn(over);
      expect(await emacProcess([name, '--resume', run, ...queue, '--quiet'])).toMatchObject({ status: 0 });
      expect(runIn(over).content).toEqual(runIn(alone).content);
      const third = await replaced;
      for (const { child } of [second, third]) child.kill('SIGTERM');
      expect(await Promise.all([second.ended, third.ended])).toEqual([0, 0]);
      const said = [first, second, third].map((worker) => worker.said()).join('');
      expect(said).toMatch(/played \S+updates-0 .*, number 0, part [012]/);
      for (const shard of [0, 1]) expect(said).toMatch(new RegExp(`computed \\S+gradients-0 shard ${shard}`));
    },
  );
});

const published = process.env['EMAC_TEST_DATA'];

describe.skipIf(!published || !isBuilt || !hasRedis)(
  `GRPO in real game files over a worker process (needs EMAC_TEST_DATA; ${needsRedis})`,
  () => {
    it('gives the bytes of one process', async () => {
      const games = (suite: string) => join(published!, 'alfworld', 'games', suite);
      const words = [
        ...['grpo', '--env', 'alfworld', '--games', games('valid_seen'), '--eval-on', games('valid_unseen')],
        ...['--updates', '2', '--prompts-per-update', '2', '--group-size', '2', '--prompts-together', '1'],
        ...['--max-steps', '2', '--max-new-tokens', '6', '--lora-rank', '2', '--eval-episodes', '1'],
        ...['--checkpoint-every', '1', '--json'],
      ];
      const own = freshFolder('real-games');
      const [alone, over] = [join(own, 'alone'), join(own, 'over')];
      expect(await emac([...words, '--out', alone])).toMatchObject({ status: 0 });
      const queue = ['--queue', (await startRedis()).url, '--shared', join(own, 'shared')];
      const worker = startWorker(queue);
      expect(await emacProcess([...words, '--out', over, ...queue])).toMatchObject({ status: 0 });
      expect(runIn(over).content).toEqual(runIn(alone).content);
      // two groups of two attempts, named by their first
      for (const first of [0, 2])
        expect(worker.said()).toMatch(new RegExp(`updates-0 .*, number ${first}, part 0`));
      worker.child.kill('SIGTERM');
      expect(await worker.ended).toBe(0);
    });
  },
);
