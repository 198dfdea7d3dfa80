/** The published log of answers and rewards. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host, RewardedAnswer } from '@emac/opening';
import { afterAll, describe, expect, it } from 'vitest';
import { withPredictions } from './prediction-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = { v: 1, kind: 'update', phase: 'grpo', update: 0 } as const;
const answer = (content: string, reward: number): RewardedAnswer => ({
  update: 0,
  reward,
  rewards: { format: reward },
  content,
  solution: '2',
});
const now = () => 86_400_000;
const row = (content: string, reward: number) => ({
  timestamp: '1970-01-02T00:00:00.000Z',
  reward,
  content,
  solution: '2',
});
const rows = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as unknown;

async function logged(
  env: Readonly<Record<string, string>>,
  answers: readonly RewardedAnswer[][],
): Promise<boolean> {
  let isClosed = false;
  const bare: Host = { now, env };
  const { host, close } = withPredictions(
    { host: bare, close: async () => void (isClosed = true) },
    { env, now },
  );
  host.listener?.run?.(folder);
  for (const update of answers) {
    for (const each of update) host.listener?.answered?.(each);
    host.listener?.reinforced?.(line);
  }
  await close();
  return isClosed;
}

describe('the log of predictions', () => {
  it('is a list at LOG_PATH after every update, and continues an existing one', async () => {
    const path = join(folder, 'log.json');
    const env = { LOG_PATH: path };
    expect(await logged(env, [])).toBe(true);
    expect(rows(path)).toEqual([]);
    await logged(env, [[answer('a\n"b"', 1), answer('ü', 0)], [answer('c', 0.5)]]);
    expect(rows(path)).toEqual([row('a\n"b"', 1), row('ü', 0), row('c', 0.5)]);
    await logged(env, [[answer('d', 0)]]);
    expect(rows(path)).toEqual([row('a\n"b"', 1), row('ü', 0), row('c', 0.5), row('d', 0)]);
  });

  it('is in the run folder with DEBUG_MODE alone, under its job’s name', async () => {
    await logged({ DEBUG_MODE: 'true' }, [[answer('a', 1)]]);
    expect(rows(join(folder, 'lewis_local.json'))).toEqual([row('a', 1)]);
    await logged({ DEBUG_MODE: 'true', SLURM_JOB_ID: '42' }, [[answer('b', 1)]]);
    expect(rows(join(folder, 'lewis_42.json'))).toEqual([row('b', 1)]);
    const env = { DEBUG_MODE: 'false' };
    const host: Host = { now, env };
    expect(withPredictions({ host, close: async () => undefined }, { env, now }).host).toBe(host);
  });

  it('never overwrites another kind of file', async () => {
    const path = join(folder, 'notes.txt');
    writeFileSync(path, 'mine');
    await expect(logged({ LOG_PATH: path }, [])).rejects.toMatchObject({
      code: 'data',
      message: `LOG_PATH ${path}: must be a JSON list; move it or give another file`,
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    await expect(logged({ LOG_PATH: join(folder, 'none', 'log.json') }, [])).rejects.toMatchObject({
      code: 'cannot-create',
    });
  });
});
