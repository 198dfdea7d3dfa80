/** Imitation and DPO outside ALFWorld, from the command line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@emac/runs';
import { expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const out = join(temporaryFolder(), 'runs');
const small =
  '--rounds 1 --games-per-round 1 --max-steps 1 --updates-per-episode 1 --probe none --eval-games 1 --max-length 24'.split(
    ' ',
  );

it('goes from bc to dpo to an evaluation by its printed commands', async () => {
  const typed = async (words: readonly string[]) => {
    const { status, stdout, stderr } = await emac([...words, ...small, '--out', out]);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
    const [, run] = /^run: (.*)$/m.exec(stdout)!;
    const [, next] = /^next: npx emac (.*)$/m.exec(stdout)!;
    return { run: run!, next: next!.split(' '), stdout };
  };
  const bc = await typed(['train', '--phase', 'bc', '--env', 'NumberLine']);
  const env = 'gym_cards/NumberLine-v0';
  expect(bc.stdout).toContain(`success and steps on 1 held-out game of ${env}`);
  expect(bc.next).toEqual(['train', '--phase', 'dpo', '--env', env, '--ref', bc.run]);
  expect(readConfig(bc.run)).toMatchObject({ env, policy: 'rl-tiny', play: { maxSteps: 1 } });
  const elsewhere = await emac([
    'train',
    '--phase',
    'dpo',
    '--env',
    'alfworld',
    '--model',
    'rl-tiny',
    '--ref',
    bc.run,
  ]);
  expect(elsewhere).toMatchObject({
    status: 64,
    stderr: expect.stringContaining(`was trained in ${env}, got --env alfworld; give --env ${env}`),
  });
  const dpo = await typed(bc.next);
  expect(dpo.next).toEqual(['eval', '--ckpt', dpo.run]);
  const result = join(out, 'result.json');
  expect(await emac([...dpo.next, '--num-games', '1', '--out', result])).toMatchObject({ status: 0 });
  const { games } = JSON.parse(readFileSync(result, 'utf8')) as { readonly games: readonly object[] };
  expect(games).toMatchObject([{ type: env, seen_in_training: false }]);
});

it('takes environment and policy of the run to start from, by any method', async () => {
  const env = 'MiniGrid-Empty-5x5-v0';
  const started = async (name: string, ...words: string[]) => {
    const folder = join(out, name);
    const { status, stderr } = await emac(['train', ...words, '--max-steps', '2', '--out', folder]);
    expect(status, stderr).toBe(0);
    const run = join(folder, readdirSync(folder)[0]!);
    return { run, config: readConfig(run) };
  };
  const short = ['--rounds', '1', '--games-per-round', '1', '--eval-games', '0'];
  const { run } = await started('bc', '--phase', 'bc', '--env', env, '--policy', 'mlp', ...short);
  const dpo = await started('dpo', '--phase', 'dpo', '--ref', run, ...short);
  expect(dpo.config).toMatchObject({ env, policy: 'mlp' });
  const steps = ['--num-processes', '1', '--num-steps', '2', '--steps', '2', '--eval-episodes', '0'];
  const ppo = await started('ppo', '--method', 'ppo', '--init', run, ...steps);
  expect(ppo.config).toMatchObject({ env, policy: 'mlp' });
  const groups = ['--updates', '1', '--prompts-per-update', '1', '--group-size', '2', '--eval-episodes', '0'];
  const grpo = await started('grpo', '--method', 'grpo', '--init', run, ...groups);
  expect(grpo.config).toMatchObject({ env, policy: 'mlp' });
});

it('rejects an unknown environment, and games of ALFWorld in another environment', async () => {
  const train = (...words: string[]) => emac(['train', ...words, '--out', out]);
  expect(await train('--phase', 'bc', '--env', 'NumberLin')).toMatchObject({
    status: 64,
    stderr: expect.stringContaining('is not an environment; similar ones are gym_cards/NumberLine-v0'),
  });
  expect(await train('--phase', 'bc', '--env', 'NumberLine', '--games', 'builtin:train')).toMatchObject({
    status: 64,
    stderr: expect.stringContaining(
      '--games: is for environments whose tasks and actions are words, got --env NumberLine',
    ),
  });
});
