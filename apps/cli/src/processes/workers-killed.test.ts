/**
 * Workers, trainer and Redis killed at random moments of one run: it gives the bytes of a quiet one. Four kills a run; `FAST_CHECK_RUNS=25` makes a hundred
 * for each method. A process that finds no Redis at its start (69) is started again, as a scheduler would do. Needs the build.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, program } from '../emac-process.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { runIn, speaking, startWorker, training, type Worker } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();
const killsAtOnce = 4;

const kill = fc.record({
  what: fc.constantFrom('a worker', 'the trainer', 'Redis'),
  /** milliseconds after the previous kill */
  after: fc.integer({ min: 100, max: 3_000 }),
});

const words = (...lines: string[]) => lines.flatMap((line) => line.split(' '));

/** A hundred updates of a perceptron, in groups of one environment. */
const stepping = words(
  'ppo --env MiniGrid-Empty-5x5-v0 --policy mlp --num-processes 4 --num-steps 64 --envs-together 1',
  '--steps 25600 --eval-episodes 2 --checkpoint-every 7 --quiet',
);

const small =
  '--env FrozenLake-v1 --policy rl-tiny --max-steps 3 --train lora --lora-rank 2 --gradient-shards 2 --eval-episodes 0 --quiet';

const labelled = words(
  `${small} --rounds 3 --games-per-round 4 --episodes-per-update 2 --updates-per-episode 2 --batch-size 2`,
);

/** Workers get the reference's judgement and the reference point with their rows. */
async function judged(): Promise<readonly string[]> {
  const out = join(folder, 'cloned');
  const cloning = ['train', '--method', 'bc', ...labelled, '--updates', '2', '--out', out];
  expect((await emacProcess(cloning)).status).toBe(0);
  const learning = words('train --method kto --train-after every-episode --agreed keep --ref');
  return [...learning, runIn(out).run, ...labelled];
}

const graphs = words(
  `train --method graphgpo --ratio answer ${small} --updates 4 --prompts-per-update 2 --group-size 4`,
  '--prompts-together 1 --passes 2 --max-new-tokens 12 --checkpoint-every 1',
);

/** A new run, or a resumed one after a kill. */
function startTrainer(run: readonly string[], out: string, queue: readonly string[]) {
  const [begun] = readdirSync(out).filter((name) => !name.startsWith('.'));
  const words =
    begun === undefined ? [...run, '--out', out] : [run[0]!, '--resume', join(out, begun), '--quiet'];
  const child = spawn(process.execPath, [program, ...words, ...queue], {
    env: { PATH: process.env['PATH'] },
    stdio: 'ignore',
  });
  return { child, ended: once(child, 'exit') as Promise<[number | null]> };
}

describe.runIf(isLong && isBuilt && hasRedis)(`kills at random moments (${needsRedis})`, () => {
  it.each([
    ['training on games', () => training],
    ['KTO', judged],
    ['PPO', () => stepping],
    ['GRPO', () => speaking],
    ['GraphGPO with a ratio per answer', () => graphs],
  ])('change no byte of %s', async (name, asked) => {
    const run = await asked();
    const alone = join(folder, name);
    expect((await emacProcess([...run, '--out', alone])).status).toBe(0);
    let runs = 0;
    const kills = fc.array(kill, { minLength: killsAtOnce, maxLength: killsAtOnce });
    await fc.assert(
      fc.asyncProperty(kills, async (some) => {
        const own = join(folder, `${name} ${++runs}`);
        const out = join(own, 'runs');
        for (const path of [own, out]) mkdirSync(path);
        const redis = await startRedis();
        const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
        const workers: Worker[] = [];
        let isOver = false;
        const hire = (): void => {
          const worker = startWorker(queue);
          workers.push(worker);
          void worker.ended.then((status) => void (status === 69 && !isOver && hire()));
        };
        hire();
        hire();
        let trainer = startTrainer(run, out, queue);
        for (const { what, after } of some) {
          await pause(after);
          if (what === 'Redis') await redis.crash();
          else if (what === 'the trainer') {
            trainer.child.kill('SIGKILL');
            const [status] = await trainer.ended;
            if (status !== 0) trainer = startTrainer(run, out, queue);
          } else {
            workers.shift()!.child.kill('SIGKILL');
            hire();
          }
        }
        let [status] = await trainer.ended;
        while (status === 69) {
          trainer = startTrainer(run, out, queue);
          [status] = await trainer.ended;
        }
        isOver = true;
        expect(status).toBe(0);
        expect(runIn(out).content).toEqual(runIn(alone).content);
        for (const { child } of workers) child.kill('SIGKILL');
      }),
      { numRuns: 1, seed: 19 },
    );
  });
});
