/** `--reward FILE` from the command line: attempts are rewarded by code of one's own, which a configuration never runs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const reward = join(folder, 'reward.mjs');
const code = 'export const reward = ({ won, steps }) => steps.map((_, place) => place + (won ? 2 : 0));';
writeFileSync(reward, code);

const words =
  '--env gym_cards/NumberLine --policy mlp --prompts-per-update 2 --group-size 3 --max-steps 3 --eval-episodes 2 --checkpoint-every 1 --keep all';
const small = ['train', '--method', 'gigpo', ...words.split(' ')];
const only = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

const contentOf = (run: string): Map<string, string> => {
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(metrics\.jsonl|checkpoints\/\d+\/.*)$/.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(run, name), 'base64')]));
};

describe('a reward of one’s own', () => {
  it('is what attempts are compared by; a stopped run names its code anew', async () => {
    const [whole, parts] = [join(folder, 'whole'), join(folder, 'parts')];
    const given = [...small, '--updates', '2', '--reward', reward];
    expect(await emac([...given, '--out', whole])).toMatchObject({ status: 0 });
    const run = only(whole);
    for (const update of ['000000', '000001']) {
      const lines = readFileSync(join(run, 'attempts', `${update}.jsonl`), 'utf8')
        .trim()
        .split('\n');
      const [head, ...steps] = lines.map((line) => JSON.parse(line) as { reward: number; won: boolean });
      expect(steps.map((step) => step.reward)).toEqual(steps.map((_, place) => place + (head!.won ? 2 : 0)));
    }
    expect(readFileSync(join(run, 'metrics.jsonl'), 'utf8')).toMatch(/("reward_own":[0-9][^]*){2}/);
    const stopped = await emac([...given, '--out', parts], { env: { EMAC_STOP_AT_UPDATE: '1' } });
    expect(stopped.stderr).toContain(`emac train --resume ${only(parts)} --reward ${reward}`);
    const begun = only(parts);
    const without = await emac(['train', '--resume', begun]);
    expect(without.status).toBe(exitCodes.usage);
    expect(without.stderr).toContain('is code, which runs only if the command line names it; add --reward');
    expect(await emac(['train', '--resume', begun, '--reward', reward])).toMatchObject({ status: 0 });
    expect(contentOf(begun)).toEqual(contentOf(run));
  });

  it('is the same code on resume', async () => {
    const out = join(folder, 'changed');
    const other = join(folder, 'other.mjs');
    writeFileSync(other, code);
    await emac([...small, '--updates', '2', '--reward', other, '--out', out], {
      env: { EMAC_STOP_AT_UPDATE: '1' },
    });
    writeFileSync(other, `${code} // changed`);
    const { status, stderr } = await emac(['train', '--resume', only(out), '--reward', other]);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/reward/);
    expect(stderr).toContain('--allow-drift');
  });

  it.each([
    [
      'usage',
      ['grpo', '--role', 'speaker', '--reward', reward],
      '--reward: is for tasks of other environments',
    ],
    ['missing', [...small, '--reward', join(folder, 'none.mjs')], 'none.mjs: does not exist'],
    ['usage', [...small, '--reward', 'points'], '--reward: must be return or success, or a file such as'],
    ['config', [...small, 'rewards.attempt=Success'], 'rewards.attempt: must be return or success'],
    [
      'usage',
      ['train', '--phase', 'bc', '--reward', reward],
      '--reward: is for methods that compare attempts',
    ],
    ['usage', [...small, 'rewards.attempt=./mine.mjs'], 'rewards.attempt ./mine.mjs: is code'],
  ] as const)('is refused as %s in a sentence: %j', async (kind, typed, message) => {
    const { status, stderr } = await emac([...typed, '--out', join(folder, 'refused')]);
    expect(stderr).toContain(message);
    expect(status).toBe(exitCodes[kind]);
  });
});
