/** Bad input of every kind: the exit status, one sentence with the error, and no file left behind. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const out = join(folder, 'runs');
const empty = join(folder, 'empty');
const damaged = join(folder, 'pick_and_place_simple-A-None-B-1', 'trial_1', 'game.tw-pddl');
mkdirSync(empty);
mkdirSync(join(damaged, '..'), { recursive: true });
writeFileSync(damaged, '{"solvable": true, "pddl_domain": 3}');

const bc = ['train', '--phase', 'bc'];
const evaluate = ['eval', '--ckpt', 'emma-tiny'];
const textOnly = [...evaluate, '--observe', 'text', '--gif', 'all'];
const openai = [...bc, '--expert', 'openai'];

const cases: readonly (readonly [number, readonly string[], string])[] = [
  [64, ['dance'], 'dance'],
  [64, ['backbone'], 'backbone'],
  [64, ['backbone', 'compare'], 'argument'],
  ...['env new', 'env check', 'report', 'stop', 'data check', 'play'].map(
    (name) => [64, [...name.split(' '), ''], ': must not be empty'] as const,
  ),
  [64, ['train'], '--method: is required'],
  [64, ['train', '--phase', 'sft'], '--phase'],
  [64, ['train', '--phase', 'dpo'], '--ref'],
  [64, ['train', '--phase', 'bc,dpo', '--ref', 'emma-tiny'], '--ref'],
  [64, ['train', '--phase', 'dpo', '--ref', 'emma-tiny', '--carry', 'memories'], '--carry'],
  [64, [...bc, '--carry', 'memories'], '--carry'],
  [64, [...bc, '--keep', '0'], '--keep'],
  [64, [...bc, '--ref', 'emma-tiny'], '--ref'],
  [64, [...bc, '--lr', 'abc'], '--lr'],
  [64, [...bc, '--lr'], 'lr'],
  [64, [...bc, '--lr', '1', '--lr', '2'], '--lr'],
  [64, [...bc, '--rounds', '-3'], '--rounds'],
  [64, [...bc, '--rounds=0'], '--rounds'],
  [64, [...bc, '--seed', '1.5'], '--seed'],
  [64, [...bc, '--batch-size', '100000'], '--batch-size: must be a whole number from 1 to 1024'],
  [64, [...bc, '--accumulate', '1000000'], '--accumulate'],
  [64, [...bc, '--rounds', '999999999'], '--rounds'],
  [64, [...evaluate, '--beams', '65'], '--beams'],
  [64, [...bc, '--preset', 'large'], '--preset'],
  [64, [...bc, '--max-grad-norm', '0'], '--max-grad-norm: must be a number above 0 to 1000000, or none'],
  [64, [...bc, '--adam-beta2', '1'], 'must be a number from 0 to below 1'],
  [64, [...bc, '--loss', 'kto'], '--loss'],
  [64, ['train', '--phase', 'dpo', '--ref', 'emma-tiny', '--label-smoothing', '0.5'], 'label smoothing'],
  [
    64,
    ['train', '--phase', 'dpo', '--ref', 'emma-tiny', '--loss', 'ipo', '--label-smoothing', '0.1'],
    'sigmoid',
  ],
  [64, [...bc, '--resume', 'x'], '--phase'],
  [64, ['train', '--resume', '/nowhere'], '--out'],
  [66, [...bc, '--data', '/nowhere'], '--data /nowhere'],
  [66, [...evaluate, '--data', '/nowhere'], '--data /nowhere'],
  [64, ['collect'], '--out'],
  [64, [...bc, 'x'], 'x'],
  [64, [...bc, '--', 'x'], 'x'],
  [64, [...bc, '--student-memory=no'], '--student-memory'],
  [64, [...bc, '--games', 'builtin:test'], 'builtin:test'],
  [64, [...bc, '--min-length', '9', '--max-new-tokens', '3'], '--min-length'],
  [64, [...bc, '--projection', 'mlp', '--init', 'model'], 'give --init random'],
  [64, [...bc, '--projection', 'linear', '--projection-hidden', '8'], '--projection-hidden'],
  [64, [...bc, '--init', 'random', '--projection-hidden', '8'], '--projection-hidden'],
  [64, [...bc, '--expert', 'oracle'], '--expert'],
  [64, [...bc, '--expert-model', 'x'], '--expert openai'],
  [64, [...bc, '--expert', 'planner', '--expert-model', 'x'], '--expert openai'],
  [64, [...openai, '--expert-base-url', 'http://127.0.0.1:9/v1'], '--expert-model'],
  [64, [...openai, '--expert-base-url', 'ftp://x', '--expert-model', 'x'], 'address'],
  [64, [...bc, '--model', damaged], 'give a model folder'],
  [64, ['eval'], '--ckpt'],
  [64, [...textOnly, '--out', `${out}/`], '--gif: needs a policy that sees frames'],
  [64, [...textOnly, '--out', `${out}/`, '--dry-run'], '--gif: needs a policy that sees frames'],
  [64, [...evaluate, '--data', '/nowhere', '--gif', 'all'], '--gif: belongs to games'],
  [64, ['play', 'builtin:train'], 'builtin:train/0'],
  [64, ['play', 'builtin:train/99999'], '99999'],
  [64, ['play', empty], 'holds 0 games'],
  [65, ['play', damaged], 'pddl_domain'],
  [65, [...bc, '--games', damaged], 'pddl_domain'],
  [65, [...bc, '--games', empty], 'holds no playable game'],
  [65, [...bc, '--init', empty], 'neither'],
  [65, ['eval', '--ckpt', empty], 'neither'],
  [66, ['play', '/nowhere'], '/nowhere'],
  [66, ['play', damaged, '--commands', '/nowhere'], '/nowhere'],
  [66, [...bc, '--games', '/nowhere'], '/nowhere'],
  [66, [...bc, '--model', '/nowhere'], '/nowhere'],
  [66, [...bc, '--model', empty], 'config.json'],
  [66, [...bc, '--init', '/nowhere'], '/nowhere'],
  [66, ['train', '--phase', 'dpo', '--ref', '/nowhere@best'], '/nowhere'],
  [66, ['eval', '--ckpt', '/nowhere'], '/nowhere'],
  [66, [...evaluate, '--games', '/nowhere'], '/nowhere'],
  [66, ['backbone', 'compare', '/nowhere'], '/nowhere'],
  [64, ['env', 'ls', '--picture', 'x.png'], '--picture'],
  [64, ['env', 'check', damaged, '--steps', '100'], '--steps'],
  [64, ['model', 'check', 'emma-tiny', '--provider', 'cpu'], '--compare'],
  [64, ['model', 'fetch', 'a/b', '--dtype', 'f16'], '--dtype'],
  [64, ['model', 'fetch', 'a/b', 'c', '--out', 'd'], '--out d'],
  [64, ['model', 'export', 'a', 'b', 'c', '--type', 'f16'], '--type'],
  [64, ['model', 'export', 'a', 'b.gguf', '--dtype', 'float16'], '--dtype'],
  [77, openai, 'OPENAI_API_KEY'],
];

describe('bad input', () => {
  it.each(cases)('ends with %i for %j', async (status, argv, said) => {
    const result = await emac(argv[0] === 'train' ? ['train', '--out', out, ...argv.slice(1)] : argv);
    expect(result.stderr).toMatch(/^emac: .+\n$/);
    expect(result.stderr).toContain(said);
    expect(result.status).toBe(status);
    expect(result.stdout).toBe('');
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    ['--tf-backend', 'gpu'],
    ['--tf-backend', 'node'],
    ['--provider', 'cuda'],
    ['--provider', 'webgpu'],
  ])('ends with 69 for %s %s if it is absent', async (flag, value) => {
    const short = ['--num-games', '1', '--max-steps', '1', '--beams', '1'];
    const { status, stdout, stderr } = await emac([...evaluate, ...short, flag, value]);
    if (status === 0) return; // present on this machine
    expect(status).toBe(69);
    expect(stderr).toMatch(/^emac: .+\n$/);
    expect(stderr).toContain(value);
    expect(stdout).toBe('');
  });

  it('does not choose a language model because of a key in the environment', async () => {
    const env = { OPENAI_API_KEY: 'sk-test' };
    const result = await emac([...bc, '--expert-model', 'x', '--out', out], { env });
    expect(result.status).toBe(64);
    expect(result.stderr).not.toContain('sk-test');
  });
});

describe('emac eval --out', () => {
  const short = ['--num-games', '1', '--max-steps', '1', '--beams', '1'];

  it('is not made, and no game is played, if one of them is damaged', async () => {
    const games = join(folder, 'half');
    const [whole, half] = ['1', '2'].map((trial) =>
      join(games, `pick_and_place_simple-A-None-B-${trial}`, 'trial', 'game.tw-pddl'),
    );
    const text = JSON.stringify(builtinGame('train', 0).file);
    for (const path of [whole!, half!]) mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(whole!, text);
    writeFileSync(half!, text.slice(0, text.length / 2));
    const { status, stdout, stderr } = await emac([...evaluate, '--games', games, '--out', join(out, 'x')]);
    expect([status, stdout, existsSync(out)]).toEqual([65, '', false]);
    expect(stderr).toMatch(/^emac: .+\n$/);
    expect(stderr).toContain(half);
  });

  it('is rejected before a game is played', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, 'kept');
    mkdirSync(join(folder, 'taken', 'eval.json'), { recursive: true });
    for (const place of [`${file}/`, join(file, 'x.json'), join(folder, 'taken')]) {
      const { status, stdout, stderr } = await emac([...evaluate, ...short, '--out', place]);
      expect([status, stdout]).toEqual([73, '']);
      expect(stderr).not.toContain('evaluation');
    }
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });

  it('with a final slash is a folder for eval.json', async () => {
    const place = join(folder, 'results');
    const { status } = await emac([...evaluate, ...short, '--out', `${place}/`]);
    const names = ['command.txt', 'episodes', 'eval.json', 'frames', 'logging_results', 'report.html'];
    expect([status, readdirSync(place)]).toEqual([0, names]);
  });

  it('says when there are fewer games than requested', async () => {
    const games = join(folder, 'half', 'pick_and_place_simple-A-None-B-1');
    const more = ['--games', games, '--num-games', '7', '--max-steps', '1', '--beams', '1'];
    const { status, stderr } = await emac([...evaluate, ...more]);
    expect(status).toBe(0);
    expect(stderr).toContain('1 held-out tasks, each evaluated once instead of 7 episodes');
  });
});

describe('help', () => {
  it.each([[['--help']], [['train', '--help']], [['eval', '--help']], [['backbone', 'compare', '--help']]])(
    'is printed for %j with status 0',
    async (argv) => {
      const { status, stdout, stderr } = await emac(argv);
      expect(status).toBe(0);
      expect(stderr).toBe('');
      expect(stdout).toContain('emac');
    },
  );

  it.each([[['--help']], [['train', '--help']]])(
    'explains for %j how to run and stop long commands',
    async (argv) => {
      const help = (await emac(argv)).stdout.replace(/\s+/g, ' ');
      expect(help).toContain('node_modules/.bin/emac');
      expect(help).toContain('emac stop RUN');
    },
  );

  it('shows every default and the numbers of every preset', async () => {
    const { stdout } = await emac(['train', '--help']);
    // contracts: default preset tiny with 1 round and 50 steps; small-scale has lr 1e-5 and warm-up 300. The pattern ends at the next flag,
    // since lines break at the width.
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/--rounds ((?!--).)*\[default: 1\]/);
    expect(stdout).toMatch(/\[default: emma-tiny\]/);
    expect(stdout).toMatch(/^ +warmup +.*300.*0$/m);
    expect(stdout).toMatch(/^ +lr +.*0\.00001 .*$/m);
  });

  it('prints the first commands to try if nothing was typed', async () => {
    const { status, stdout } = await emac([]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ {2}emac train --phase bc /m);
  });

  it('prints the version', async () => {
    expect(await emac(['--version'])).toEqual({ status: 0, stdout: '0.1.0\n', stderr: '' });
  });
});
