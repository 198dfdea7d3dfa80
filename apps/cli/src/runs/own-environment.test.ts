/** `--env FILE`: a custom environment, from imitation to evaluation. Only the flag runs its code; its errors become sentences. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, readRecord } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 1 --games-per-round 2 --max-steps 2 --updates-per-episode 1 --batch-size 1 --probe none --eval-games 1 --max-length 8 --model emma-tiny'.split(
    ' ',
  );

/** The agent guesses a number; the answer is higher or lower. */
const guess = `
const numberOf = (task) => Number(task.split(' ')[1]);
export default {
  tasks: { training: ['number 1', 'number 3', 'number 5'], heldOut: ['number 2', 'number 4'] },
  actions: ['1', '2', '3', '4', '5'],
  begin(task) {
    const number = numberOf(task);
    return {
      observation: 'Guess a number from 1 to 5.',
      step(action) {
        const done = Number(action) === number;
        const text = done ? 'Right.' : Number(action) < number ? 'Higher.' : 'Lower.';
        return { observation: text, reward: done ? 1 : 0, done };
      },
    };
  },
  expert(task, { turns }) {
    const last = turns.at(-1);
    if (!last) return '3';
    return String(Number(last.command) + (last.observation === 'Higher.' ? 1 : -1));
  },
};
`;

function file(name: string, body: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, body);
  return path;
}

const runIn = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

describe.each([
  ['ppo', '--num-processes 2 --num-steps 1 --steps 4 --batch-size 2 --max-steps 2'],
  ['grpo', '--updates 2 --prompts-per-update 1 --group-size 2 --max-steps 2'],
])('emac train --method %s --env FILE', (method, words) => {
  const short = `${words} --checkpoint-every 1 --max-new-tokens 4 --eval-episodes 0 --lora-rank 2`.split(' ');

  it('resumes after its code threw, with --env again, and reports the changed file', async () => {
    const env = file(`${method}-broken`, guess.replace('begin(task) {', failing(method)));
    const there = join(folder, method);
    const stopped = await emac(['train', '--method', method, ...short, '--env', env, '--out', there]);
    expect([stopped.status, stopped.stderr]).toEqual([65, expect.stringContaining('threw: no more')]);
    const run = runIn(there);
    file(`${method}-broken`, guess);
    const resumed = ['train', '--resume', run];
    expect(await emac(resumed)).toMatchObject({
      status: 64,
      stderr: expect.stringContaining(`add --env ${env}`),
    });
    expect(await emac([...resumed, '--env', env])).toMatchObject({ status: 78 });
    expect(await emac([...resumed, '--env', env, '--allow-drift'])).toMatchObject({ status: 0 });
    expect(existsSync(join(run, 'DONE'))).toBe(true);
  });
});

/** Allows two trial episodes and two of the first update, but none of the second. */
const failing = (method: string): string =>
  `begin(task) {
    globalThis.begun ??= {};
    if ((globalThis.begun.${method} = (globalThis.begun.${method} ?? 0) + 1) > 4) throw new Error('no more');`;

describe('emac train --env FILE', () => {
  const out = join(folder, 'runs');
  const bc = ['train', '--phase', 'bc', ...small];

  it('trains, evaluates and resumes with the file; a changed one is drift', async () => {
    const env = file('guess', guess);
    const trained = await emac([...bc, '--env', env, '--out', out]);
    expect([trained.status, trained.stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
    const [, run] = /^run: (.*)$/m.exec(trained.stdout)!;
    expect(trained.stdout).toContain(`next: npx emac train --phase dpo --env ${env} --ref ${run!}`);
    expect(readRecord(run!).versions['environment']).toMatch(/^[0-9a-f]{64}$/);
    expect(readConfig(run!)).toMatchObject({ env, policy: 'emma-tiny' });
    expect(readFileSync(join(run!, 'metrics.jsonl'), 'utf8')).not.toContain(folder);

    const evaluate = ['eval', '--ckpt', run!, '--num-games', '2', '--json'];
    const evaluated = await emac([...evaluate, '--env', env]);
    expect(evaluated.status).toBe(0);
    const { games } = JSON.parse(evaluated.stdout) as { readonly games: readonly { id: string }[] };
    expect(games).toHaveLength(2);
    expect(await emac(evaluate)).toMatchObject({
      status: 64,
      stderr: expect.stringContaining(
        'env ./guess.mjs: is code, which runs only if the command line names it',
      ),
    });

    expect(await emac(['train', '--resume', run!])).toMatchObject({ status: 0 });
  });

  it('resumes after its code threw, and reports the drift', async () => {
    const broken = guess
      .replace('return {', 'let steps = 0; return {')
      .replace('const done =', "if (++steps === 2) throw new Error('no more'); const done =");
    const env = file('broken', broken);
    const there = join(folder, 'broken');
    const stopped = await emac([...bc, '--env', env, '--out', there]);
    expect([stopped.status, stopped.stderr]).toEqual([65, expect.stringContaining('threw: no more')]);
    const run = runIn(there);
    expect(stopped.stderr).toContain(
      `to resume: fix the file, then npx emac train --resume ${run} --env ${env} --allow-drift`,
    );
    expect(await emac(['train', '--resume', run])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining(`add --env ${env}`),
    });
    file('broken', guess);
    const resumed = ['train', '--resume', run, '--env', env];
    expect(await emac(resumed)).toMatchObject({
      status: 78,
      stderr: expect.stringMatching(/environment [0-9a-f]{12} instead of/),
    });
    expect(await emac([...resumed, '--allow-drift'])).toMatchObject({ status: 0 });
  });

  it.each<[string, string, RegExp]>([
    ['throws while it is loaded', 'throw new Error("early")', /failed to load: early/],
    ['has no default export', 'export const tasks = {};', /has no default export/],
    ['has a task in both sets', guess.replace("'number 2'", "'number 3'"), /number 3 is in both/],
    [
      'gives no reward',
      guess.replace('done ? 1 : 0', 'NaN'),
      /must give a finite reward, at most 1e\+100, got NaN/,
    ],
    ['shows no text', guess.replace("'Guess a number from 1 to 5.'", '7'), /must give an observation/],
    ['begins nothing', 'export default { tasks: {} };', /exports no environment/],
    ['has no tasks', guess.replace('tasks:', 'task:'), /tasks.training must be a list/],
  ])('refuses one that %s, before anything is written', async (what, body, message) => {
    const env = file(`bad-${what.replaceAll(' ', '-')}`, body);
    const there = join(folder, 'none');
    const { status, stderr } = await emac([...bc, '--env', env, '--out', there]);
    expect([status, stderr]).toEqual([65, expect.stringMatching(message)]);
    expect(stderr).toContain(`--env ${env}: `);
    expect(existsSync(there)).toBe(false);
  });

  it('is never run by a configuration alone', async () => {
    const env = file('named', "throw new Error('was run');");
    const config = join(folder, 'named.yaml');
    writeFileSync(config, `env: ${env}\n`);
    const { status, stderr } = await emac([...bc, '--config', config, '--out', join(folder, 'named')]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(`add --env ${env}`)]);
  });
});
