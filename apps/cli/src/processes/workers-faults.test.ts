/** Faults between processes of a queue: frozen workers, an absent or refusing Redis, an emptied folder. Needs the build. */
import { once as event } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JobQueue } from '@emac/queue';
import { alsoLong, isLong } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { runIn, startWorker, training, trainingWhole } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();

function freshFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

async function until(question: () => Promise<boolean>): Promise<void> {
  while (!(await question())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function opened(url: string): Promise<JobQueue> {
  const { bullQueue } = await import('@emac/queue');
  const queue = await bullQueue(url);
  onTestFinished(() => queue.close());
  return queue;
}

const evaluation = ['eval', '--ckpt', 'emma-tiny', '--max-steps', '2', '--beams', '1', '--out', 'none'];

describe.runIf(isLong && isBuilt && hasRedis)(`a frozen worker (${needsRedis})`, () => {
  it('returns too late after it thaws: the bytes of one process, and no episode counted twice', async () => {
    const [alone, over] = [freshFolder('alone'), freshFolder('over')];
    expect((await emacProcess([...trainingWhole, '--out', alone])).status).toBe(0);
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(folder, 'frozen-shared')];
    const jobs = await opened(redis.url);
    const frozen = startWorker(queue);
    const trained = emacProcess([...trainingWhole, '--out', over, ...queue]);
    const atHand = async () => (await jobs.workers()).find(({ job }) => job !== null)?.job ?? null;
    // its first episode, while it opens the model
    await until(async () => (await atHand()) !== null);
    const [, run, task] = /of run (\S+), .* task (.*), seed/.exec((await atHand())!)!;
    frozen.child.kill('SIGSTOP');
    const other = startWorker(queue);
    await other.hasSaid(new RegExp(`played ${run} ${task}`.replace(/[.()]/g, '\\$&')));
    frozen.child.kill('SIGCONT');
    expect((await trained).status).toBe(0);
    expect(runIn(over).content).toEqual(runIn(alone).content);
    for (const { child } of [frozen, other]) child.kill('SIGTERM');
    expect(await Promise.all([frozen.ended, other.ended])).toEqual([0, 0]);
    const counted = [frozen, other].map((each) => Number(/(\d+) jobs? counted/.exec(each.said())![1]));
    // 4 of the probe, 2 before, 8 of training, 2 after; one was started twice
    expect(counted[0]! + counted[1]!).toBe(16);
  });
});

describe.runIf(isLong && isBuilt && hasRedis)(`an unreachable Redis (${needsRedis})`, () => {
  it('does not delay a stop: 75 for training and evaluation, 0 for an idle worker', async () => {
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(folder, 'away-shared')];
    const stopped = async (words: readonly string[]) => {
      const waits = once(/no worker is running/, (child) => {
        setTimeout(() => void redis.kill().then(() => child.kill('SIGTERM')), 500);
      });
      return emacProcess(words, waits);
    };
    const loud = training.filter((word) => word !== '--quiet');
    for (const words of [[...loud, '--out', join(folder, 'away-runs')], evaluation]) {
      const { status, stderr } = await stopped([...words, ...queue]);
      // emacProcess kills after five minutes: the trainer must not wait for Redis that long
      expect([status, stderr]).toEqual([75, expect.stringMatching(/^emac: .*(stopped)/m)]);
      await redis.crash();
    }
    // the first server keeps the jobs of the stopped commands
    const empty = await startRedis();
    const worker = startWorker(['--queue', empty.url, '--shared', join(folder, 'away-shared')]);
    await worker.hasSaid(/waits for jobs/);
    const jobs = await opened(empty.url);
    await until(async () => (await jobs.workers()).length === 1);
    await empty.kill();
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });
});

describe.skipIf(!isBuilt || !hasRedis)(`a Redis with a password (${needsRedis})`, () => {
  it('rejects a wrong one in a sentence without either: 69', async () => {
    const redis = await startRedis();
    const { Redis } = await import('ioredis');
    const direct = new Redis(redis.url);
    await direct.config('SET', 'requirepass', 'right-one');
    direct.disconnect();
    const queue = ['--queue', redis.url];
    const shared = ['--shared', join(folder, 'password-shared')];
    for (const words of [
      [...training, '--out', join(folder, 'no-run'), ...queue, ...shared],
      [...evaluation, ...queue, ...shared],
      ...alsoLong([['workers', ...queue]]),
    ]) {
      const { status, stderr } = await emac(words, { env: { EMAC_QUEUE_PASSWORD: 'wrong-one' } });
      expect([status, stderr.trim().split('\n')]).toEqual([
        69,
        [expect.stringMatching(/^emac: queue at redis:.* Redis refuses: WRONGPASS/)],
      ]);
      expect(stderr).not.toContain('-one');
    }
    expect(existsSync(join(folder, 'no-run'))).toBe(false);
  });
});

describe.runIf(isLong && isBuilt && hasRedis)(`an emptied folder (${needsRedis})`, () => {
  it('ends a resume with 66 and the name to forget its results by; then the run can restart', async () => {
    const redis = await startRedis();
    const shared = join(folder, 'emptied-shared');
    const queue = ['--queue', redis.url, '--shared', shared];
    const asked = [...evaluation, '--num-games', '3', ...queue];
    const jobs = await opened(redis.url);
    const worker = startWorker(queue);
    const killed = await emacProcess(
      [...asked, '--events'],
      once(/seen_in_training/, (child) => child.kill('SIGKILL')),
    );
    expect(killed.signal).toBe('SIGKILL');
    await worker.hasSaid(/(played[^]*){3}/);
    await until(async () => (await jobs.counts()).leased === 0);
    rmSync(shared, { recursive: true });
    const { status, stderr } = await emacProcess([...asked, '--quiet']);
    expect([status, stderr.trim().split('\n')]).toEqual([
      66,
      [expect.stringMatching(/^emac: workers: the shared folder must hold every result/)],
    ]);
    const [, name] = /npx emac workers --queue … --forget (\S+)/.exec(stderr)!;
    const forget = (which: string) => emacProcess(['workers', '--queue', redis.url, '--forget', which]);
    expect(await forget('another')).toMatchObject({
      status: 66,
      stdout: '',
      stderr: `emac: queue: it has no run another; give one of ${name}\n`,
    });
    expect(await forget(name!)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`forgot ${name}.`) as string,
    });
    expect((await emacProcess([...asked, '--quiet'])).status).toBe(0);
  });
});

describe.skipIf(!isBuilt || !hasRedis)(`a dry run with a queue (${needsRedis})`, () => {
  it('lists workers, makes nothing, and ends like the run', async () => {
    const redis = await startRedis();
    const shared = join(folder, 'dry-shared', 'below');
    const dry = (...words: string[]) => emac([...evaluation, '--num-games', '1', '--dry-run', ...words]);
    const none = await dry('--queue', redis.url, '--shared', shared);
    expect([none.status, none.stdout]).toEqual([
      0,
      expect.stringMatching(/^queue: Redis answers, .*below is writable, no worker is running yet$/m),
    ]);
    expect(readdirSync(folder)).not.toContain('dry-shared');
    const worker = startWorker(['--queue', redis.url, '--shared', shared]);
    const jobs = await opened(redis.url);
    await until(async () => (await jobs.workers()).length === 1);
    const trained = [...training, '--out', join(folder, 'dry-runs'), '--dry-run'].filter(
      (word) => word !== '--quiet',
    );
    const one = await emac([...trained, '--queue', redis.url, '--shared', shared]);
    expect(one.stdout).toMatch(/^queue: .* is writable, 1 worker running$/m);
    worker.child.kill('SIGTERM');
    await event(worker.child, 'exit');
    await redis.kill();
    expect((await dry('--queue', redis.url, '--shared', shared)).status).toBe(69);
    expect((await dry('--queue', redis.url, '--shared', '/proc/none')).status).toBe(73);
    expect((await dry('--queue', redis.url)).status).toBe(64);
  });
});
