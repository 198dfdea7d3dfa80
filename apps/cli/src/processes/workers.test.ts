/** Runs over worker processes on a real Redis: kills, rejected workers, equal bytes. Needs the build. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';
import { freePort, hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { runIn, startWorker, training } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();

/** One round of two updates, without evaluations. */
const trainingOnce = [
  ...['train', '--phase', 'bc', '--games-per-round', '4', '--rounds', '1', '--max-steps', '4'],
  ...['--episodes-per-update', '2', '--updates-per-episode', '1', '--batch-size', '2', '--beams', '1'],
  ...['--eval-games', '0', '--probe', 'none', '--quiet', '--gradient-shards', '2'],
];

function freshFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

describe.skipIf(!isBuilt || !hasRedis)(`worker processes (${needsRedis})`, () => {
  it('give the bytes of one process although worker, trainer and Redis are killed', async () => {
    const [alone, over] = [freshFolder('alone'), freshFolder('over')];
    const words = isLong ? training : trainingOnce;
    expect((await emac([...words, '--out', alone])).status).toBe(0);
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(folder, 'shared')];
    const workers = [startWorker(queue), ...(isLong ? [startWorker(queue)] : [])];
    const killedWorkers = workers.length;
    // each is killed at some moment after its first episode, and another replaces it
    const replaced = workers.map(async (worker) => {
      await worker.hasSaid(/played/);
      worker.child.kill('SIGKILL');
      workers.push(startWorker(queue));
    });
    const killed = await emacProcess(
      [...words.filter((word) => word !== '--quiet'), '--out', over, ...queue, '--verbose'],
      {
        ...once(isLong ? /(samples[^]*){3}/ : /samples/, (child) => child.kill('SIGKILL')),
      },
    );
    expect(killed.signal).toBe('SIGKILL');
    await Promise.all(replaced);
    const { run } = runIn(over);
    const resumed = emacProcess(['train', '--resume', run, ...queue, '--quiet']);
    await redis.crash();
    expect(await resumed).toMatchObject({ status: 0 });
    expect(runIn(over).content).toEqual(runIn(alone).content);
    // the remaining ones end by SIGTERM, after their job
    const left = workers.slice(killedWorkers);
    for (const { child } of left) child.kill('SIGTERM');
    expect(await Promise.all(left.map(({ ended }) => ended))).toEqual(left.map(() => 0));
    expect(left[0]!.said()).toMatch(/\d+ jobs? counted/);
  });

  it('serve the runs of a sweep, which end in the bytes of single runs without them', async () => {
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(folder, 'sweep-shared')];
    const file = join(folder, 'sweep.yaml');
    const command =
      'train --method ppo --env gym_cards/NumberLine-v0 --policy mlp --num-processes 1 --steps 4 --num-steps 4 --eval-episodes 0';
    writeFileSync(file, JSON.stringify({ command, seeds: [3] }));
    const [alone, over] = [join(folder, 'sweep-alone'), join(folder, 'sweep-over')];
    const worker = startWorker(queue);
    expect((await emac([...command.split(' '), '--seed', '3', '--out', alone])).status).toBe(0);
    expect((await emac(['sweep', file, '--out', over, ...queue])).status).toBe(0);
    expect(runIn(join(over, 'cells', '000-s3')).content).toEqual(runIn(alone).content);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.said()).toMatch(/[1-9]\d* jobs? counted/);
  });

  it('are listed, with waiting jobs', async () => {
    const redis = await startRedis();
    const leaving = new AbortController();
    const words = ['worker', '--queue', redis.url, '--shared', join(folder, 'listed')];
    const working = emac(words, { interruption: leaving });
    const list = async () => (await emac(['workers', '--queue', redis.url, '--json'])).stdout;
    let told = await list();
    while (!told.includes('"waiting"') || JSON.parse(told).workers.length === 0) told = await list();
    expect(JSON.parse(told)).toMatchObject({
      workers: [{ pid: process.pid, state: 'waiting', done: 0, failed: 0 }],
      waiting: 0,
      leased: 0,
    });
    const { stdout } = await emac(['workers', '--queue', redis.url]);
    expect(stdout).toContain('0 jobs waiting, 0 running');
    leaving.abort();
    expect((await working).status).toBe(0);
  });

  it('of another version are rejected: 78', async () => {
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(folder, 'versions-shared')];
    const interruption = new AbortController();
    const onStderr = (text: string): void => {
      if (text.includes('no worker is running')) interruption.abort();
    };
    const evaluation = ['eval', '--ckpt', 'emma-tiny', '--num-games', '1', ...queue, '--out', 'none'];
    const { status: stopped, stderr } = await emac(evaluation, { interruption, onStderr });
    expect([stopped, stderr]).toEqual([75, expect.stringContaining('no worker is running')]);
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    const key = 'emac-jobs:jobs:versions';
    const announced = JSON.parse((await client.get(key))!) as Record<string, string>;
    await client.set(key, JSON.stringify({ ...announced, code: '0'.repeat(64) }));
    client.disconnect();
    const worker = await emac(['worker', ...queue]);
    expect(worker.status).toBe(78);
    expect(worker.stderr).toMatch(/emac: worker .* must have the versions of the run, has code/);
  });
});

describe.runIf(isLong && isBuilt && hasRedis)(`a full folder (${needsRedis})`, () => {
  it('ends a worker with 74 and another plays its episode; ends an evaluation too', async () => {
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(folder, 'full-shared')];
    const evaluation = ['eval', '--ckpt', 'emma-tiny', '--num-games', '2', '--max-steps', '2', ...queue];
    const full = { EMAC_FAILPOINT: 'file-written:1:ENOSPC' };
    const failed = await emacProcess([...evaluation, '--out', 'none'], { env: full });
    expect(failed).toMatchObject({
      status: 74,
      stderr: expect.stringMatching(/ENOSPC.*free some space/) as string,
    });
    const worker = startWorker(queue, full);
    const evaluated = emacProcess([...evaluation, '--out', 'none', '--json', '--quiet']);
    expect(await worker.ended).toBe(74);
    expect(worker.said()).toMatch(/emac: cannot write .*full-shared.*ENOSPC.*free some space/);
    startWorker(queue);
    const { status, stdout } = await evaluated;
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ games: [{ steps: 2 }, { steps: 2 }] });
  });
});

describe('a queue that cannot be used', () => {
  it('gives one sentence to trainer, evaluation and worker: 69', async () => {
    const queue = ['--queue', `redis://127.0.0.1:${await freePort()}`];
    const out = join(folder, 'nothing');
    const shared = ['--shared', join(folder, 'no-queue')];
    for (const words of [
      [...training, '--out', out, ...queue, ...shared],
      ['eval', '--ckpt', 'emma-tiny', '--out', out, ...queue, ...shared],
      ['worker', ...queue, ...shared],
      ['workers', ...queue],
    ]) {
      const { status, stderr } = await emac(words);
      expect([status, stderr.trim().split('\n')]).toEqual([
        69,
        [expect.stringMatching(/^emac: queue at redis/)],
      ]);
    }
    expect(existsSync(out)).toBe(false);
  });

  it('needs a folder, not a file', async () => {
    const queue = ['--queue', 'redis://127.0.0.1:1'];
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const status = async (words: readonly string[]) => (await emac(words)).status;
    expect(await status(['eval', '--ckpt', 'emma-tiny', ...queue])).toBe(64);
    expect(await status(['eval', '--ckpt', 'emma-tiny', '--shared', file])).toBe(64);
    expect(await status(['worker', '--queue', 'local', '--shared', folder])).toBe(64);
    expect(await status(['worker', ...queue, '--shared', file])).toBe(73);
  });
});
