/** LIBERO from the command line: a simulator elsewhere plays it, so commands without a client refuse it. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rlTiny } from '@emac/tiny-models';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const out = join(folder, 'refused');
const evaluation = ['eval', '--ckpt', 'untouched', '--policy', rlTiny, '--env'];
const overHttp = ['--world', 'http', '--port', '0'];

describe('LIBERO', () => {
  it.each<[readonly string[], string]>([
    [[...evaluation, 'libero_goal'], '--env libero_goal: is played by a client; give --world http'],
    [['collect', '--env', 'libero_goal'], 'is played by a client only'],
    [['ppo', '--env', 'libero_goal', '--policy', rlTiny], 'is played by a client only'],
  ])('is refused without a client: %j', async (argv, message) => {
    const { status, stderr } = await emac([...argv, '--out', out]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)]);
    expect(existsSync(out)).toBe(false);
  });

  it('takes no file for a folder, before it waits for a client', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { status, stderr } = await emac([...evaluation, 'libero_goal', ...overHttp, '--out', file]);
    expect([status, stderr]).toEqual([73, expect.stringContaining('is a file')]);
  });

  it('alone is played by a client: --world http is refused for tabletop', async () => {
    const { status, stderr } = await emac([...evaluation, 'tabletop/goal', '--world', 'http', '--out', out]);
    expect([status, stderr]).toEqual([
      64,
      expect.stringContaining('--world http: is for the games of ALFWorld'),
    ]);
  });
});
