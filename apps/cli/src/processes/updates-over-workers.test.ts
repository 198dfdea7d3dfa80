/**
 * PPO and GRPO over worker processes on a real Redis: workers and trainers are killed, and the runs end in the bytes of one process. `FAST_CHECK_RUNS=25`
 * makes a hundred kills at random moments. Needs the build.
 */
import { spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once, program } from '../emac-process.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { runIn, startWorker, type Worker } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();

function freshFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const network = [
  ...[
    'ppo',
    '--env',
    'MiniGrid-Empty-5x5-v0',
    '--policy',
    'mlp',
    '--num-processes',
    '4',
    '--num-steps',
    '64',
  ],
  ...[
    '--envs-together',
    '1',
    '--total-steps',
    '25600',
    '--eval-episodes',
    '2',
    '--checkpoint-every',
    '7',
    '--quiet',
  ],
];
const language = [
  ...[
    'ppo',
    '--env',
    'gym_cards/NumberLine-v0',
    '--policy',
    'rl-tiny',
    '--num-processes',
    '3',
    '--num-steps',
    '2',
  ],
  ...['--envs-together', '1', '--total-steps', '24', '--lora-rank', '2', '--max-new-tokens', '16'],
  ...['--eval-episodes', '0', '--checkpoint-every', '1', '--json'],
];
const speaker = [
  ...['grpo', '--role', 'speaker', '--updates', '4', '--prompts-per-update', '3', '--num-generations', '3'],
  ...['--prompts-together', '1', '--max-completion-length', '12', '--listener-reward-mode', 'soft_always'],
  ...['--lora-rank', '2', '--eval-games', '0', '--checkpoint-every', '1', '--json'],
];

describe.skipIf(!isBuilt || !hasRedis)(`updates over worker processes (${needsRedis})`, () => {
  let killings = 0;

  it.each([
    ['PPO of a model', 'ppo', language],
    ['PPO of a model, played an update ahead', 'ppo', [...language, '--max-staleness', '1']],
    ['GRPO of a speaker', 'grpo', speaker],
    ['GRPO of a speaker, answered two updates ahead', 'grpo', [...speaker, '--max-staleness', '2']],
  ])(
    '%s: a worker and the trainer are killed, and the run has the bytes of one process',
    async (_, name, words) => {
      const own = freshFolder(`${name}-${++killings}`);
      const [alone, over, data] = ['alone', 'over', 'redis'].map((each) => join(own, each)) as [
        string,
        string,
        string,
      ];
      for (const path of [alone, over, data]) mkdirSync(path);
      expect(await emacProcess([...words, '--out', alone])).toMatchObject({ status: 0 });
      const redis = await startRedis(data);
      const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
      const [first, second] = [startWorker(queue), startWorker(queue)];
      const replaced = first.hasSaid(/stepped|answered/).then(() => {
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
      expect(first.said() + second.said()).toMatch(/(stepped|answered) .*, update 0, part [012]/);
    },
  );

  it('are killed at random moments, and change nothing of what comes out', async () => {
    const alone = freshFolder('alone');
    expect((await emacProcess([...network, '--out', alone])).status).toBe(0);
    let trainings = 0;
    const kill = fc.record({
      what: fc.constantFrom('a worker', 'the trainer'),
      /** milliseconds after the kill before */
      after: fc.integer({ min: 100, max: 3_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(kill, { minLength: 4, maxLength: 4 }), async (kills) => {
        const own = freshFolder(`${++trainings}`);
        const [out, data] = ['runs', 'redis'].map((name) => join(own, name)) as [string, string];
        for (const path of [out, data]) mkdirSync(path);
        const redis = await startRedis(data);
        const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
        const workers: Worker[] = [startWorker(queue), startWorker(queue)];
        let trainer = startTrainer(out, queue);
        for (const { what, after } of kills) {
          await pause(after);
          if (what === 'the trainer') {
            trainer.child.kill('SIGKILL');
            const [status] = await trainer.ended;
            if (status !== 0) trainer = startTrainer(out, queue);
          } else {
            workers.shift()!.child.kill('SIGKILL');
            workers.push(startWorker(queue));
          }
        }
        expect(await trainer.ended).toEqual([0, null]);
        expect(runIn(out).content).toEqual(runIn(alone).content);
        for (const { child } of workers) child.kill('SIGKILL');
      }),
      { numRuns: 1, seed: 19 },
    );
  });
});

/** A run that is begun, or gone on with where an earlier trainer was killed. */
function startTrainer(out: string, queue: readonly string[]) {
  const [begun] = readdirSync(out).filter((name) => !name.startsWith('.'));
  const words =
    begun === undefined ? [...network, '--out', out] : ['ppo', '--resume', join(out, begun), '--quiet'];
  const child = spawn(process.execPath, [program, ...words, ...queue], {
    env: { PATH: process.env['PATH'] },
    stdio: 'ignore',
  });
  return { child, ended: onceEmitted(child, 'exit') as Promise<[number | null, string | null]> };
}
