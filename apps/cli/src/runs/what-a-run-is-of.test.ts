/** A run keeps its environment and wording: its name alone is enough to serve, watch and evaluate it. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodePng } from '@emac/images';
import { openEnvironment } from '@emac/opening';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const words = (text: string): string[] => text.split(' ');
const runIn = (name: string): string => join(folder, name, readdirSync(join(folder, name))[0]!);

async function said(argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await emac(argv);
  expect(status, stderr).toBe(0);
  return stdout;
}

const line = 'gym_cards/NumberLine-v0';
const short = words('--max-new-tokens 100 --eval-episodes 0 --lora-rank 2');
const runs: Readonly<Record<string, readonly string[]>> = {
  ppo: [
    ...['ppo', '--env', line, ...short],
    ...words('--num-processes 2 --num-steps 1 --steps 4 --batch-size 2'),
  ],
  mlp: words('ppo --env MiniGrid-Empty-5x5-v0 --policy mlp --num-steps 16 --steps 32 --eval-episodes 0'),
  listener: [
    ...['grpo', '--env', 'lewis/listener', ...short],
    ...words('--updates 1 --prompts-per-update 1 --group-size 2'),
  ],
};

beforeAll(async () => {
  for (const [name, argv] of Object.entries(runs))
    await said(['train', '--method', ...argv, '--quiet', '--out', join(folder, name)]);
  const data = join(folder, 'data');
  await said(['collect', '--env', line, ...words('--num-samples 2 --out'), data]);
  await said([
    ...['train', '--method', 'sft', '--data', data, '--policy', 'rl-tiny', '--out', join(folder, 'sft')],
    ...words('--max-updates 1 --batch-size 1 --lora-rank 2 --quiet'),
  ]);
});

interface Acted {
  readonly action: string;
  readonly text: string;
}

/** The action of a served policy at the start of a card game. */
async function served(argv: readonly string[]): Promise<Acted> {
  const interruption = new AbortController();
  let acted: Acted | null = null;
  const environment = openEnvironment(line, { palette: null, maxSteps: null });
  environment.reset(0);
  const images = [
    `data:image/png;base64,${Buffer.from(await encodePng(environment.frame())).toString('base64')}`,
  ];
  const history = { initial: environment.text(), turns: [] };
  const { status, stderr } = await emac(['serve', ...argv, '--port', '0'], {
    interruption,
    onStdout(text) {
      const [, api] = /^serving .*: (http:\S+)$/m.exec(text) ?? [];
      if (api === undefined) return;
      const body = JSON.stringify({ history, images });
      const headers = { 'content-type': 'application/json' };
      void fetch(`${api}/act`, { method: 'POST', headers, body })
        .then((reply) => reply.json())
        .then((reply) => void (acted = reply as Acted))
        .finally(() => interruption.abort());
    },
  });
  expect(status, stderr).toBe(0);
  return acted!;
}

describe('emac serve', () => {
  it.each(['ppo', 'sft'])('answers like a run of %s in its environment', async (method) => {
    const { action, text } = await served(['--ckpt', runIn(method)]);
    expect(['+', '-']).toContain(action);
    expect(JSON.parse(text)).toMatchObject({ action });
  });

  it('takes the environment for a model that reads several', async () => {
    const { status, stderr } = await emac(words('serve --ckpt rl-tiny --port 0'));
    expect([status, stderr]).toEqual([64, expect.stringContaining('add --env, such as gym_cards/')]);
    expect(['+', '-']).toContain((await served(words(`--ckpt rl-tiny --env ${line}`))).action);
  });

  it.each([
    ['mlp', /is a small network \(mlp\) and reads numbers, not words; evaluate it with emac eval/],
    [
      'listener',
      /was trained as a listener of the Lewis game; serve it with emac serve --role listener --ckpt/,
    ],
  ])('refuses %s in one sentence', async (name, sentence) => {
    const { status, stderr } = await emac(['serve', '--ckpt', runIn(name), '--port', '0']);
    expect([status, stderr]).toEqual([64, expect.stringMatching(sentence)]);
  });
});

const steps = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as { readonly action: number | null; readonly observation?: string });

describe('emac play --agent', () => {
  it.each([
    ['ppo', line],
    ['sft', line],
    ['mlp', 'MiniGrid-Empty-5x5-v0'],
  ])('plays with a run of %s in its own environment', async (name, env) => {
    const argv = ['play', env, '--agent', runIn(name), ...words('--seed 1 --max-steps 2 --json')];
    const [reset, ...taken] = steps(await said(argv));
    expect(reset!.action).toBeNull();
    expect(taken.map(({ action }) => typeof action)).toEqual(taken.map(() => 'number'));
    expect(taken.length).toBeGreaterThan(0);
  });

  it('plays a role of the Lewis game, one step in words', async () => {
    const told = steps(await said(['play', 'lewis/listener', '--agent', runIn('listener'), '--json']));
    expect(told).toMatchObject([
      { step: 0, command: null, done: false },
      { step: 1, done: true },
    ]);
  });

  it('plays a custom module, by commands too', async () => {
    const file = join(folder, 'turns.mjs');
    writeFileSync(file, turns);
    const frames = join(folder, 'frames');
    mkdirSync(frames);
    const { stdout } = await emac(['play', file, '--commands', '-', '--json'], { stdin: 'left\n' });
    expect(steps(stdout)).toMatchObject([{ observation: 'Go left.' }, { won: true, score: 1, done: true }]);
    const watched = steps(await said(['play', file, '--agent', 'emma-tiny', '--seed', '1', '--json']));
    expect(watched).toMatchObject([{ observation: 'Go right.' }, { done: true }]);
  });

  it('plays a custom module with a small network, which reads its arrays', async () => {
    const file = fileURLToPath(new URL('../../../../examples/environments/guess.mjs', import.meta.url));
    const out = join(folder, 'guessing');
    const once = words('--rounds 1 --games-per-round 1 --eval-games 0');
    await said(['train', '--phase', 'bc', '--env', file, '--policy', 'mlp', ...once, '--out', out]);
    const run = join(out, readdirSync(out)[0]!);
    const guesses = steps(await said(['play', file, '--agent', run, '--json', '--max-steps', '2']));
    expect(guesses.length).toBeGreaterThan(1);
    expect(guesses[1]).toMatchObject({ step: 1, command: expect.stringMatching(/^[1-8]$/) });
  });

  it('names the environment of a policy trained elsewhere than the game', async () => {
    const { status, stderr } = await emac(['play', 'builtin:valid_unseen/0', '--agent', runIn('ppo')]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(`was trained in ${line}`)]);
  });
});

const turns = `
export default {
  tasks: { training: ['left 1', 'right 1'], heldOut: ['left 2', 'right 2'] },
  actions: ['left', 'right'],
  begin: (task) => ({
    observation: 'Go ' + task.split(' ')[0] + '.',
    step: (action) => ({ observation: 'Done.', reward: action === task.split(' ')[0] ? 1 : 0, done: true }),
  }),
};
`;

describe('emac eval', () => {
  it('plays the role of a Lewis run, and names the command that evaluates both roles', async () => {
    const run = runIn('listener');
    const stdout = await said(['eval', '--ckpt', run, ...words('--num-games 2 --out none')]);
    expect(stdout).toContain(`identification and recognition: npx emac eval --env lewis --listener ${run}\n`);
  });

  it('plays episodes in the environment of a run’s dataset, and counts them by either name', async () => {
    const asked = words('--num-games 2 --out none --json');
    expect(JSON.parse(await said(['eval', '--ckpt', runIn('sft'), ...asked]))).toMatchObject({
      games: [{ type: line }, { type: line }],
      mean_return: expect.any(Number),
    });
    const compared = ['eval', '--policy', `random,${runIn('sft')}`, ...asked];
    expect(JSON.parse(await said(compared))).toMatchObject({ env: line, tasks: 2 });
  });
});
