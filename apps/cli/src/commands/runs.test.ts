/** `emac runs`, the hints after a typing error, and the reference that preferences lack. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();

function inFolder(): string {
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  return folder;
}

describe('emac runs', () => {
  it('lists runs, newest first, with their newest success', async () => {
    inFolder();
    const made = { out: 'some', seed: 0, versions: {} };
    const minutes = (minute: number) => () => new Date(Date.UTC(2026, 0, 1, 0, minute));
    const first = createRun({
      ...made,
      phase: 'bc',
      config: { env: 'alfworld', policy: 'emma-tiny' },
      now: minutes(0),
    });
    for (const won of [1, 3]) first.metrics({ v: 1, kind: 'round-end', won, played: 4 });
    first.stop('interrupted', 'stopped on request');
    const second = createRun({
      ...made,
      phase: 'grpo',
      method: 'gigpo',
      title: 'second try',
      config: { env: './walk.mjs', policy: 'rl-tiny' },
      now: minutes(1),
    });
    second.metrics({ v: 1, kind: 'update', success: 0.25 });
    second.finish({ evaluation: { success: 0.5 } });
    const { stdout } = await emac(['runs', 'some']);
    const cells = stdout.split('\n').map((line) =>
      line
        .split('│')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
    expect(cells.filter(({ length }) => length > 0).slice(1)).toEqual([
      ['second try', 'gigpo', './walk.mjs', 'rl-tiny', '1', '50 %', '0.0 s', 'done'],
      [first.name, 'bc', 'alfworld', 'emma-tiny', '0', '75 %', '0.0 s', 'interrupted'],
    ]);
    const { runs } = JSON.parse((await emac(['runs', 'some', '--json'])).stdout) as { runs: object[] };
    expect(runs[0]).toMatchObject({ title: 'second try', success: 0.5, run: join('some', second.name) });
    expect((await emac(['runs', 'none'])).stdout).toBe('none: holds no run yet; emac train begins one\n');
  });
});

describe('what was meant', () => {
  it.each([
    [['ls'], 'did you mean emac runs, emac env ls or emac games list?'],
    [['list'], 'did you mean emac runs, emac env ls or emac games list?'],
    [['train', '--phase', 'bc', '--env', 'jugs'], 'did you mean ./jugs.mjs?'],
    [['train', '--phase', 'bc', '--policy', 'mpl'], 'did you mean mlp?'],
    [['train', '--phase', 'bc', '--lrate', '1'], 'did you mean --lr?'],
    [['train', '--phase', 'bc', '--wandb'], 'did you mean --tracker wandb?'],
    [['train', '--phase', 'bc', '--total-timesteps', '9'], 'did you mean --updates?'],
    [['train', '--method', 'ppo', '--total-timesteps', '9'], 'did you mean --steps?'],
  ])('%j: %s', async (argv, meant) => {
    writeFileSync(join(inFolder(), 'jugs.mjs'), '');
    const { status, stderr } = await emac(argv);
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(meant);
  });

  it('shows the help of a command also for emac help COMMAND', async () => {
    expect((await emac(['help', 'runs'])).stdout).toBe((await emac(['runs', '--help'])).stdout);
  });

  it('names the newest run that preferences could be learned against', async () => {
    inFolder();
    const dpo = ['train', '--phase', 'dpo', '--seed', '3'];
    expect((await emac(dpo)).stderr).toContain('no run in runs would do: train one by --phase bc first');
    const options = { out: 'runs', phase: 'bc', seed: 0, versions: {} };
    const [fits] = ['alfworld', './walk.mjs'].map((env, minute) => {
      const { folder: run } = createRun({
        ...options,
        config: { env },
        now: () => new Date(60_000 * minute),
      });
      mkdirSync(join(run, 'checkpoints'), { recursive: true });
      writeFileSync(join(run, 'checkpoints', 'latest'), '00000004');
      return run;
    });
    expect(await emac(dpo)).toMatchObject({
      status: 64,
      stderr: expect.stringContaining(`npx emac train --phase dpo --seed 3 --ref ${fits}\n`) as string,
    });
  });
});

describe('earlier names of commands', () => {
  it.each([
    [
      ['envs', '--json'],
      ['env', 'ls', '--json'],
    ],
    [['preset', 'ls'], ['preset']],
    [
      ['preset', 'cat', 'tiny', '--method', 'ppo'],
      ['preset', 'tiny', '--method', 'ppo'],
    ],
    [
      ['ckpt', 'verify', 'runs/none'],
      ['ckpt', 'ls', 'runs/none', '--verify'],
    ],
    [
      ['lewis', 'speaker', '--help'],
      ['serve', '--role', 'speaker', '--help'],
    ],
    [
      ['lewis', 'eval', '--num-games', '0'],
      ['eval', '--env', 'lewis', '--num-games', '0'],
    ],
  ])('%j is %j', async (earlier, today) => {
    const result = await emac(earlier);
    expect(result).toEqual(await emac(today));
    expect(result.stdout + result.stderr).not.toContain('Unknown');
  });
});
