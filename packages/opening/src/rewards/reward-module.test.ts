import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnReward } from '@emac/algorithms';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRewardModule, rewardIn } from './reward-module.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-reward-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function written(code: string): string {
  const path = join(folder, `reward-${++files}.mjs`);
  writeFileSync(path, code);
  return path;
}

const step = { observation: 'a', answer: 'x', action: 'x', isValid: true, next: 'b', reward: 0 };
const attempt = { task: { id: 'mine/3', type: null }, won: true, steps: [step, step] };

describe('a reward of one’s own', () => {
  it.each([
    'export function reward({ won, steps }) { return won ? 1 / steps.length : 0; }',
    'export default ({ won, steps }) => (won ? 1 / steps.length : 0);',
    'export default async ({ won, steps }) => (won ? 1 / steps.length : 0);',
    'export default { share: 1, reward({ won, steps }) { return won ? this.share / steps.length : 0; } };',
  ])('is taken from %s', async (code) => {
    const given = await loadRewardModule(written(code));
    const reward = rewardIn(given.name, given) as OwnReward;
    expect(await reward(attempt)).toBe(0.5);
  });

  it.each([
    ['() => { throw new Error("oh"); }', /^--reward \S+: reward\(attempt\) of mine\/3 threw: oh$/],
    [
      '() => NaN',
      /must return a finite number, at most 1e\+100, or a list of one for each of its 2 steps, got NaN$/,
    ],
    ['() => "1"', /got '1'$/],
    ['async () => { throw new Error("oh"); }', /reward\(attempt\) of mine\/3 threw: oh$/],
    ['() => process.exit(0)', /^--reward \S+: reward\(attempt\) of mine\/3 ended its thread$/],
    [
      '() => { Promise.reject(new Error("late")); return new Promise(() => {}); }',
      /^--reward \S+: code outside its calls ended the thread: late$/,
    ],
    ['() => ({})', /got \{\}$/],
    ['() => () => 1', /got null$/],
    ['() => [1e308, 1e308]', /got \[ 1e\+308, 1e\+308 \]$/],
    [
      '({ steps }) => { const paid = []; paid[steps.length - 1] = 1; return paid; }',
      /got \[ <1 empty item>, 1 \]$/,
    ],
    ['() => [1]', /got \[ 1 \]$/],
    ['() => [1, Infinity]', /got \[ 1, Infinity \]$/],
  ])('stops the run where it is none: %s', async (code, message) => {
    const given = await loadRewardModule(written(`export default ${code};`));
    const reward = rewardIn(given.name, given) as OwnReward;
    await expect(reward(attempt)).rejects.toThrow(message);
  });

  it.concurrent.each([
    ['computes', '() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
    ['waits', '() => new Promise(() => {})'],
  ])('stops the run where it %s without an end', async (_what, code) => {
    const options = { env: { EMAC_ENV_SECONDS: '4' } };
    const given = await loadRewardModule(written(`export default ${code};`), options);
    const reward = rewardIn(given.name, given) as OwnReward;
    await expect(reward(attempt)).rejects.toThrow(/reward\(attempt\) of mine\/3 gave no answer within 4 s/);
  });

  it('prints to the given function, not among results', async () => {
    const printed: string[] = [];
    const code = 'export default () => { console.log("paid", process.env.MY_TOKEN); return 1; };';
    const given = await loadRewardModule(written(code), {
      env: { MY_TOKEN: 'secret' },
      said: (text) => void printed.push(text),
    });
    await given.reward(attempt);
    await expect.poll(() => printed.join('')).toBe('paid undefined\n');
  });

  it('needs a file with a function, which only the flag runs', async () => {
    await expect(loadRewardModule(join(folder, 'none.mjs'))).rejects.toThrow(/--reward .*: does not exist/);
    await expect(loadRewardModule(written('export const other = 1;'))).rejects.toThrow(
      /exports no function reward; write export function reward/,
    );
    await expect(loadRewardModule(written('export const = 1;'))).rejects.toThrow(/failed to load/);
    expect(rewardIn('success', undefined)).toBe('success');
    expect(() => rewardIn('./mine.mjs', undefined)).toThrow(/is code, .* add --reward \.\/mine\.mjs/);
    const given = await loadRewardModule(written('export const reward = () => 1;'));
    expect(() => rewardIn('return', given)).toThrow(/was given, but the configuration says return/);
  });
});
