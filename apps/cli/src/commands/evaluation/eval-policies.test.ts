/** `emac eval --policy` and `emac env bench` as they are typed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison } from '@emac/experiment';
import type { EvaluationResult } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import type { TablesFile, TextCell } from '@emac/pages/data';
import { dataIn } from '@emac/pages/whole-page';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const line = ['--env', 'gym_cards/NumberLine-v0', '--num-episodes', '3'];

describe('emac eval --policy', () => {
  it('compares policies given with commas and in several flags, and plays a finished one once', async () => {
    const out = join(folder, 'line');
    const names = ['--policy', 'random,scripted', '--policy', 'untouched'];
    const words = ['eval', ...line, ...names, '--gif', '1', '--out', out];
    const { status, stdout } = await emac([...words, '--json']);
    expect(status).toBe(0);
    const { policies, differences } = JSON.parse(stdout) as Comparison;
    expect(policies.map(({ policy }) => policy)).toEqual(['random', 'scripted', 'untouched']);
    expect(policies[1]).toMatchObject({ success: 1, mean_return: 1 });
    expect(differences.map(({ policy, from }) => [policy, from])).toEqual([
      ['scripted', 'random'],
      ['untouched', 'random'],
    ]);
    const again = await emac(words);
    expect(again.stderr.match(/was played before/g)).toHaveLength(3);
    expect(again.stdout).toContain('scripted − random');
    const { tables, pictures } = dataIn(readFileSync(join(out, 'report.html'), 'utf8')) as TablesFile;
    const { href } = tables[0]!.rows
      .map(([name]) => name as TextCell)
      .find(({ text }) => text === 'scripted')!;
    expect(href).toMatch(/^policies\/scripted-[0-9a-f]+\/report\.html$/);
    expect(existsSync(join(out, href))).toBe(true);
    expect(pictures.map(({ src }) => src)).toEqual(['films/000000.gif']);
    expect(readFileSync(join(out, pictures[0]!.src)).subarray(0, 3).toString()).toBe('GIF');
    expect(readdirSync(join(out, 'films'))).toHaveLength(1);
  });

  it('ends episodes of any environment at --max-steps, of one policy or several', async () => {
    const grid = [
      'eval',
      '--env',
      'MiniGrid-Empty-5x5-v0',
      '--num-episodes',
      '2',
      '--max-steps',
      '3',
      '--json',
    ];
    const names = ['--policy', 'random,scripted,untouched', '--model', 'mlp'];
    const several = JSON.parse((await emac([...grid, ...names])).stdout) as Comparison;
    // the way to the goal has 5 steps
    expect(several.policies.map(({ success, mean_steps: steps }) => [success, steps])).toEqual([
      [0, 3],
      [0, 3],
      [0, 3],
    ]);
    const alone = ['--ckpt', 'untouched', '--policy', 'mlp', '--out', join(folder, 'alone/')];
    expect(JSON.parse((await emac([...grid, ...alone])).stdout)).toMatchObject({ mean_steps: 3 });
  });

  it('takes the model from SETTING=VALUE and from a file step by step too, not from the variable of games', async () => {
    const file = join(folder, 'model.yaml');
    writeFileSync(file, 'model:\n  path: mlp\n');
    const asked = ['eval', ...line, '--ckpt', 'untouched', '--out', 'none', '--json'];
    const policyOf = async (...words: string[]) => {
      const { stdout } = await emac([...asked, ...words], { env: { EMAC_MODEL: 'cnn' } });
      return (JSON.parse(stdout) as EvaluationResult).policy;
    };
    expect(await policyOf('model.path=mlp')).toBe('mlp');
    expect(await policyOf('--config', file)).toBe('mlp');
    expect(await policyOf()).toBe('rl-tiny');
  });

  it.each([
    [
      'without a policy',
      ['eval', ...line],
      /^emac: --ckpt: is required, give a policy with it or with --policy/,
    ],
    [
      'with films and no folder for them',
      ['eval', ...line, '--policy', 'random', '--gif', 'all'],
      /^emac: --gif: is written into the folder of an evaluation; give --out FOLDER\//,
    ],
    [
      'with flags of a service that is not asked',
      ['eval', ...line, '--policy', 'random', '--expert-budget', '1'],
      /^emac: --expert-budget: belongs to --policy openai:MODEL, which was not given/,
    ],
    [
      'where a client plays',
      ['eval', '--env', 'libero_goal', '--policy', 'random'],
      /^emac: --policy: compares policies in environments of this machine, but a client plays libero_goal/,
    ],
  ])('is refused %s', async (_what, words, sentence) => {
    const { status, stderr } = await emac(words);
    expect([status, stderr]).toEqual([64, expect.stringMatching(sentence)]);
  });
});

describe('emac env bench', () => {
  it('prints a row for every environment, with a dash and the reason where a policy cannot play', async () => {
    const out = join(folder, 'bench');
    const envs = ['--env', 'gym_cards/NumberLine-v0,lewis/speaker,libero_goal', '--num-episodes', '2'];
    const { status, stdout } = await emac(['env', 'bench', ...envs, '--policy', 'random', '--out', out]);
    expect(status).toBe(0);
    const [, , first, speaker, libero] = readFileSync(join(out, 'bench.md'), 'utf8').split('\n');
    expect(first).toMatch(
      /^\| gym_cards\/NumberLine-v0 \| \d+ % \(\d+ % to \d+ %\) \| -?[\d.]+ ± [\d.]+ \| [\d.]+ \|$/,
    );
    expect(speaker).toBe('| lewis/speaker | – | – | – |');
    expect(libero).toBe('| libero_goal | – | – | – |');
    expect(stdout).toContain('lewis/speaker: --policy random: draws from the listed actions');
    expect(stdout).toContain('a client plays libero_goal');
  });
});

describe('emac eval --policy human', () => {
  // from the upper left corner, looking right, to the lower right one
  const way = ['move forward', 'move forward', 'turn right', 'jump', 'move forward', 'move forward'];
  const words = ['eval', '--env', 'MiniGrid-Empty-5x5-v0', '--num-episodes', '2', '--policy', 'human'];

  it('plays what is typed, and goes on with the next episode after the input has ended', async () => {
    const out = join(folder, 'human');
    const typed = (lines: readonly string[]) => ({ stdin: lines.map((line) => `${line}\n`) });
    const ended = await emac([...words, '--out', out], typed([...way, 'move forward']));
    expect([ended.status, ended.stderr]).toEqual([75, expect.stringContaining('nothing more was typed')]);
    expect(ended.stderr).toContain('"jump" is none of the actions: ');
    const { status, stdout } = await emac([...words, '--out', out, '--json'], typed(way));
    expect(status).toBe(0);
    const { policies } = JSON.parse(stdout) as Comparison;
    // five steps each: turns and moves
    expect(policies[0]).toMatchObject({ policy: 'human', success: 1, mean_steps: 5 });
  });
});
