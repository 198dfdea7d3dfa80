/** Gradients in shards by worker processes on a real Redis: bc and dpo give the bytes of one process despite kills. Needs the build. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt } from '../emac-process.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { contentOf, startWorker } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();

const training = [
  ...['train', '--phase', 'bc,dpo', '--games-per-round', '2', '--rounds', '1', '--max-steps', '5'],
  ...['--episodes-per-update', '2', '--updates-per-episode', '2', '--batch-size', '6', '--beams', '1'],
  ...['--expert-noise', '0.3', '--eval-games', '0', '--probe', 'none', '--quiet', '--gradient-shards', '4'],
];

/** Of both phases, in order. */
function contentsIn(out: string): Record<string, string>[] {
  return readdirSync(out)
    .sort()
    .map((run) => contentOf(join(out, run)));
}

// experiment's tests of gradients try a stop instead of a kill, over workers in one process
describe.runIf(isLong && isBuilt && hasRedis)(`gradients of workers (${needsRedis})`, () => {
  it('give the bytes of one process, from one worker and from four with kills', async () => {
    const alone = join(folder, 'alone');
    expect((await emacProcess([...training, '--out', alone])).status).toBe(0);
    for (const count of [1, 4]) {
      const own = join(folder, `${count}`);
      mkdirSync(own);
      const redis = await startRedis();
      const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
      const workers = Array.from({ length: count }, () => startWorker(queue));
      const killed = workers.slice(0, count / 2).map(async (worker) => {
        await worker.hasSaid(/computed/);
        worker.child.kill('SIGKILL');
        expect(worker.said()).toContain('computed');
        workers.push(startWorker(queue));
      });
      const out = join(own, 'runs');
      expect(await emacProcess([...training, '--out', out, ...queue])).toMatchObject({ status: 0 });
      await Promise.all(killed);
      expect(contentsIn(out)).toEqual(contentsIn(alone));
      expect(workers.map((worker) => worker.said()).join('')).toMatch(/computed \S+gradients-0 shard 1/);
    }
  });

  it('are found again by the trainer after a kill', async () => {
    const own = join(folder, 'killed');
    mkdirSync(join(own, 'redis'), { recursive: true });
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
    const bc = training.map((word) => (word === 'bc,dpo' ? 'bc' : word));
    const alone = join(own, 'alone');
    expect((await emac([...bc, '--out', alone])).status).toBe(0);
    const worker = startWorker(queue);
    const out = join(own, 'runs');
    // two episodes and two updates were reported
    const trainer = emacProcess([...bc, '--out', out, ...queue], {
      env: { EMAC_FAILPOINT: 'updating:4' },
    });
    expect((await trainer).signal).toBe('SIGKILL');
    const run = join(out, readdirSync(out)[0]!);
    const resumed = await emacProcess(['train', '--resume', run, ...queue, '--quiet']);
    expect(resumed).toMatchObject({ status: 0 });
    expect(contentsIn(out)).toEqual(contentsIn(alone));
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    const computed = worker.said().match(/computed .*/g)!;
    expect(computed.length).toBeGreaterThan(4);
    expect(new Set(computed).size).toBe(computed.length);
  });
});
