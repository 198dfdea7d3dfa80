import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import type { AskedCommand, AskedRun, QueuedCommand } from '@emac/pages';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { boardControl } from './board-control.ts';

const folder = mkdtempSync(join(tmpdir(), 'control-'));
const said: string[] = [];
const writer = {
  write: (text: string) => void said.push(text),
  isTerminal: false,
  columns: 100,
  isClosed: false,
};
const io: Io = {
  stdout: writer,
  stderr: writer,
  stdin: process.stdin,
  env: process.env,
  now: () => Date.now(),
  catchInterruption: () => new AbortController().signal,
};
const open = (where = folder) => {
  const control = boardControl({ folder: where, token: 'x', io });
  control.begin();
  return control;
};
afterAll(() => rmSync(folder, { recursive: true }));

const small: AskedRun = {
  kind: 'train',
  method: 'ppo',
  environment: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  from: null,
  flags: { 'eval-episodes': '0', 'num-processes': '2', 'num-steps': '4', 'checkpoint-every': '1' },
};
const waiting = { timeout: 60_000, interval: 20 };

describe('the form', () => {
  const control = open(mkdtempSync(join(folder, 'form-')));
  afterAll(() => control.close());

  it('has the settings that have an effect, as the table of settings states them', async () => {
    const { fields, environments, methods, policies } = await control.form({
      method: 'ppo',
      environment: 'MiniGrid-Empty-5x5-v0',
      policy: 'mlp',
    });
    const flags = fields.map(({ flag }) => flag);
    expect(fields[0]!.group).toBe('Essentials');
    expect(fields.find(({ flag }) => flag === 'lr')).toMatchObject({
      form: 'a number above 0 to 1000000',
      group: 'Optimization',
      choices: [],
    });
    expect(fields.find(({ flag }) => flag === 'optimizer')).toMatchObject({ choices: ['adamw', 'muon'] });
    expect(fields.find(({ flag }) => flag === 'traces')).toMatchObject({ form: null });
    // a number, or a word: any text
    expect(fields.find(({ flag }) => flag === 'target-kl')).toMatchObject({ choices: [] });
    // of language models, of games, of other methods; the form's own; ports that others reach
    for (const flag of ['observe', 'games', 'beta', 'env', 'method', 'out', 'host', 'allow', 'resume'])
      expect(flags).not.toContain(flag);
    expect(environments.map(({ id }) => id)).toContain('MiniGrid-Empty-5x5-v0');
    expect(methods.map(({ name }) => name)).toContain('gigpo');
    expect(policies).toEqual(expect.arrayContaining(['emma-tiny', 'mlp', 'cnn']));
  });

  it('leaves out what a method of that name decides', async () => {
    const flags = async (method: string) =>
      (await control.form({ method, environment: 'alfworld', policy: null })).fields.map(({ flag }) => flag);
    expect(await flags('grpo')).toContain('advantages');
    expect(await flags('gigpo')).not.toContain('advantages');
  });
});

describe('a request', () => {
  const control = open(mkdtempSync(join(folder, 'asked-')));
  afterAll(() => control.close());
  const previewed = (flags: AskedRun['flags'], more: Partial<AskedRun> = {}) =>
    control.preview({ ...small, flags, ...more });

  it('is shown as the command that a shell takes', async () => {
    const { command, refusal } = await previewed({ lr: '0.01', traces: true, 'run-name': "it's one" });
    expect(refusal).toBe(null);
    expect(command).toMatch(
      /^npx emac train --method ppo --env MiniGrid-Empty-5x5-v0 --policy mlp --lr 0\.01 --traces --run-name 'it'\\''s one' --out /,
    );
  });

  it('is of a folder as seen from everywhere', async () => {
    const relativeFolder = mkdtempSync('control-');
    onTestFinished(() => rmSync(relativeFolder, { recursive: true }));
    const named = open(relativeFolder);
    onTestFinished(() => named.close());
    expect((await named.preview(small)).command).toMatch(
      new RegExp(` --out ${join(process.cwd(), relativeFolder)}$`),
    );
  });

  it.each<[object, RegExp]>([
    [{ lr: '-1' }, /--lr: must be a number above 0/],
    [{ steps: '64', updates: '3' }, /--updates: --steps gives the length/],
    [{ 'curriculum-alpha': '0.5' }, /--curriculum-alpha: belongs to --curriculum/],
  ])('is refused with the words of the command: %j', async (flags, words) => {
    expect((await previewed(flags as AskedRun['flags'])).refusal).toMatch(words);
    await expect(control.start({ ...small, flags: flags as AskedRun['flags'] })).rejects.toThrow(words);
  });

  it.each<[object, RegExp]>([
    [{ environment: './mine.mjs' }, /environments that are listed/],
    [{ environment: 'mcp:rm -rf x#tasks=y' }, /environments that are listed/],
    [
      { method: 'bc', environment: 'alfworld', policy: null, flags: { expert: './mine.js' } },
      /code of your own/,
    ],
    [{ method: 'grpo', flags: { reward: '/tmp/mine.mjs' } }, /code of your own/],
    [{ flags: { out: '/etc' } }, /--out: is no setting/],
    [{ flags: { resume: 'x' } }, /--resume: is no setting/],
    [{ flags: { host: '0.0.0.0' } }, /--host: is no setting/],
    [{ flags: { 'lr=1 --out': '/etc' } }, /is no setting/],
    [{ flags: { lr: ['1'] } }, /must be a text/],
    [{ flags: { 'run-name': 'a\0b' } }, /must be a text/],
    [{ flags: { traces: 'host=0.0.0.0' } }, /--traces: must be true, as a switch/],
    [{ policy: '--agent=./mine.mjs' }, /policy: must be a name/],
    [{ policy: ['mlp'] }, /policy: must be a name/],
    [
      {
        method: 'bc',
        environment: 'alfworld',
        policy: null,
        flags: { 'expert-base-url': 'http://e.example' },
      },
      /--expert-base-url: a page reaches servers of this machine alone/,
    ],
    [
      {
        method: 'bc',
        environment: 'alfworld',
        policy: null,
        flags: { 'reflection-examples': '/etc/passwd' },
      },
      /--reflection-examples: a page names files in/,
    ],
    [
      { method: 'bc', environment: 'alfworld', policy: null, flags: { games: '/etc' } },
      /--games: a page names files in/,
    ],
    [{ policy: 'http://e.example' }, /--policy: a page reaches servers/],
    [{ from: '../elsewhere' }, /is no run of this board/],
    [{ kind: 'resume', run: '../elsewhere' }, /is no run of this board/],
    [{ kind: 'remove' }, /kind "train"/],
    [{ flags: null }, /kind "train"/],
  ])('starts nothing but settings of installed code: %j', async (change, words) => {
    const asked = { ...small, ...change } as AskedCommand;
    await expect(async () => control.preview(asked)).rejects.toThrow(words);
    await expect(async () => control.start(asked)).rejects.toThrow(words);
    expect(control.commands()).toEqual([]);
  });
});

it('a run that uses a server of another machine is resumed on the command line alone', async () => {
  const received = mkdtempSync(join(folder, 'received-'));
  const config = { expert: { kind: 'openai', baseUrl: 'https://e.example/v1' } };
  createRun({ out: received, phase: 'bc', seed: 0, config, versions: {}, now: () => new Date(0) }).finish();
  const control = open(received);
  onTestFinished(() => control.close());
  const [run] = readdirSync(received).filter((name) => !name.startsWith('.'));
  await expect(async () => control.start({ kind: 'resume', run: run! })).rejects.toThrow(
    /uses https:\/\/e\.example\/v1, and a page reaches servers of this machine alone/,
  );
});

it('records few of many refusals, and every other action', () => {
  const place = mkdtempSync(join(folder, 'refused-'));
  const control = open(place);
  for (let asked = 0; asked < 100; asked++) control.record('refused', { path: '/' });
  control.record('stop', { id: 1 });
  control.close();
  const lines = readFileSync(join(place, '.board', 'actions.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines).toHaveLength(31);
});

it('runs are started, stopped and resumed one at a time, also by a board that comes later', async () => {
  const first = open();
  const wait = async (control: typeof first, id: number, state: QueuedCommand['state']) => {
    const found = () => control.commands().find((each) => each.id === id)!;
    const isThere = () => expect(found()).toMatchObject({ state, run: expect.any(String) as string });
    await vi.waitFor(isThere, waiting);
    return found().run!;
  };
  expect(await first.start({ ...small, flags: { ...small.flags, updates: '20000' } })).toMatchObject({
    id: 1,
    state: 'running',
  });
  const run = await wait(first, 1, 'running');
  expect(await first.start({ kind: 'resume', run })).toMatchObject({ id: 2, state: 'waiting', run });
  expect(await first.start(small)).toMatchObject({ id: 3, state: 'waiting' });
  first.stopCommand(3);
  // another board must not start the same commands once more
  expect(() => open()).toThrow(/board with --allow-changes/);
  first.close();

  const later = open();
  expect(later.commands().map(({ state }) => state)).toEqual(['cancelled', 'waiting', 'running']);
  const metrics = () => readFileSync(join(folder, run, 'metrics.jsonl'), 'utf8').split('\n').length;
  await vi.waitFor(() => expect(metrics()).toBeGreaterThan(2), waiting);
  later.stopRun(join(folder, run));
  await wait(later, 1, 'stopped');
  const made = metrics();
  await wait(later, 2, 'running');
  await vi.waitFor(() => expect(metrics()).toBeGreaterThan(made), waiting);
  later.stopCommand(2);
  await wait(later, 2, 'stopped');
  expect(() => later.stopCommand(2)).toThrow('neither waits nor runs');
  later.record('stop', { id: 2 });
  expect(JSON.parse(readFileSync(join(folder, '.board', 'actions.jsonl'), 'utf8'))).toMatchObject({
    action: 'stop',
  });
  later.close();
}, 120_000);
