import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changeNotes } from './notes.ts';
import { resultIndex } from './result-index.ts';

const time = (seconds: number) => new Date(1000 * seconds);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'index-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const config = {
  env: 'minigrid/Empty-5x5-v0',
  policy: 'mlp',
  seed: 3,
  optimization: { betas: [0.9, 0.999] },
};

function trained(out: string, seed = 0, isDone = true) {
  const run = createRun({
    out,
    phase: 'ppo',
    seed,
    config: { ...config, seed },
    versions: {},
    now: () => time(10),
  });
  const update = { kind: 'update', phase: 'ppo', v: 1 };
  run.metrics({ ...update, update: 0, success: 0.25, loss: 2, environment_steps: 64, approx_kl: null });
  run.metrics({ ...update, update: 1, success: 0.75, loss: -1, environment_steps: 128, approx_kl: 0.5 });
  run.metrics({ ...update, update: 2, success: 0.5, loss: 1, environment_steps: 192, approx_kl: 0.25 });
  if (isDone) run.finish();
  return run;
}

function write(path: string, content: object | string): void {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, typeof content === 'string' ? content : JSON.stringify(content));
}

async function indexed(cache: string | null = null) {
  const index = resultIndex({ folder, now: () => time(100), cache });
  index.look();
  await index.settled();
  return index;
}

describe('the rows of the list', () => {
  it('have what stands in the files of a run', async () => {
    const { folder: run } = trained(join(folder, 'mine'));
    write(`mine/${run.split('/').at(-1)}/eval-before.json`, { by_type: {}, success: 0.1, games: [] });
    const counted = { by_type: { one: { games: 10 } }, success_ci95: [0.6, 0.98] };
    write(`mine/${run.split('/').at(-1)}/eval.json`, { ...counted, success: 0.9, games: [] });
    write(
      `mine/${run.split('/').at(-1)}/command.txt`,
      `# emac 0.1.0\nemac train --method ppo --env minigrid/Empty-5x5-v0 --lr 0.001 --world-command 'a b' --no-probe --out x\nemac train --resume x\n`,
    );
    const after = { share: 0.9, games: 10, interval: [0.6, 0.98] };
    const evaluated = { on: 'held out', before: 0.1, after, p: null };
    const { runs, unread } = (await indexed()).rows();
    expect(unread).toBe(0);
    expect(runs).toEqual([
      {
        name: `mine/${run.split('/').at(-1)}`,
        kind: 'run',
        parent: null,
        title: null,
        note: null,
        isStarred: false,
        method: 'ppo',
        environment: 'minigrid/Empty-5x5-v0',
        policy: 'mlp',
        state: 'done',
        started: '1970-01-01T00:00:10.000Z',
        seconds: 0,
        updates: 3,
        environmentSteps: 192,
        success: { evaluated, curve: [0.25, 0.75, 0.5], last: 0.5, best: 0.75 },
        changed: ['--lr 0.001', '--world-command a b', '--no-probe'],
        settings: { env: config.env, policy: 'mlp', seed: 0, 'optimization.betas': '[0.9,0.999]' },
        metrics: {
          'update success': { last: 0.5, low: 0.25, high: 0.75 },
          'update loss': { last: 1, low: -1, high: 2 },
          'update environment_steps': { last: 192, low: 64, high: 192 },
          'update approx_kl': { last: 0.25, low: 0.25, high: 0.5 },
        },
      },
    ]);
  });

  it('count the steps of rounds, where no line has their sum', async () => {
    const run = createRun({
      out: folder,
      phase: 'bc',
      seed: 0,
      config: {},
      versions: {},
      now: () => time(0),
    });
    run.metrics({ kind: 'round', round: 0, mean_steps: 36.5, played: 4, success: 0.5 });
    run.metrics({ kind: 'round', round: 1, mean_steps: 2 / 3, played: 3, success: 0.25 });
    run.finish();
    // 146 and 2
    expect((await indexed()).rows().runs).toMatchObject([
      { environmentSteps: 148, environment: 'alfworld', success: { last: 0.25, best: 0.5 } },
    ]);
  });

  it('are of evaluations, comparisons and sweeps too, with their parts', async () => {
    write('eval-1/eval.json', {
      env: 'x',
      checkpoint: '/runs/mine/checkpoints/00000007',
      success: 0.5,
      games: [],
    });
    const policies = [
      { policy: 'runs/mine', success: 0.25, episodes: 20 },
      { policy: 'random', success: 0.125 },
    ];
    write('compared/comparison.json', { env: null, policies });
    write('compared/mine/eval.json', { env: null, checkpoint: 'runs/mine', success: 0.25, games: [] });
    write('rates/sweep.json', {
      file: { grid: { 'optimization.learningRate': [0.01, 0.1] }, seeds: [0, 1] },
    });
    write('rates/results.json', { rows: [{ success: { mean: 0.5 } }, { success: null }] });
    const runs = [
      trained(join(folder, 'rates/cells/000-s0')),
      trained(join(folder, 'rates/cells/000-s1'), 1, false),
    ];
    onTestFinished(() => runs[1]!.finish());
    const rows = new Map((await indexed()).rows().runs.map((row) => [row.name, row]));
    expect(rows.get('eval-1')).toMatchObject({
      kind: 'evaluation',
      environment: 'x',
      policy: 'mine',
      success: { evaluated: { on: 'held out', after: { share: 0.5 } } },
    });
    expect(rows.get('compared')).toMatchObject({
      kind: 'comparison',
      environment: 'alfworld',
      policy: 'mine, random',
      success: { evaluated: { on: 'best', after: { share: 0.25, games: 20 } } },
    });
    expect(rows.get('compared/mine')).toMatchObject({ kind: 'evaluation', parent: 'compared' });
    expect(rows.get('rates')).toMatchObject({
      kind: 'sweep',
      method: 'ppo',
      policy: 'mlp',
      state: 'running',
      changed: ['optimization.learningRate 0.01, 0.1', 'seed 0, 1'],
      updates: 6,
      environmentSteps: 384,
      started: '1970-01-01T00:00:10.000Z',
      seconds: 90,
      success: { evaluated: { on: 'best', after: { share: 0.5 } } },
    });
    expect([...rows.values()].filter(({ parent }) => parent === 'rates')).toHaveLength(2);
  });

  it('follow a run that grows, is cut back and goes on', async () => {
    const run = trained(folder, 0, false);
    onTestFinished(() => run.finish());
    const index = await indexed();
    const seen = index.version;
    const success = () => index.rows().runs[0]!.success;
    const looked = async () => {
      index.look();
      await index.settled();
    };
    await looked();
    expect(index.changedSince(seen)).toEqual([]);
    const metrics = join(run.folder, 'metrics.jsonl');
    // half a line is not read yet
    appendFileSync(metrics, '{"kind":"update","update":3,"succ');
    await looked();
    expect(success()).toEqual({ evaluated: null, curve: [0.25, 0.75, 0.5], last: 0.5, best: 0.75 });
    appendFileSync(metrics, 'ess":1}\nno line\n{"kind":"update","update":4,"success":0.5}\n');
    await looked();
    expect(index.rows().runs[0]).toMatchObject({ updates: 5, success: { last: 0.5, best: 1 } });
    expect(index.changedSince(seen)).toEqual([run.folder.split('/').at(-1)]);
    // resumed from a checkpoint before the best update, and longer than it was
    truncateSync(metrics, 0);
    const line = (update: number) => `{"kind":"update","update":${update},"success":0.125}\n`;
    appendFileSync(metrics, Array.from({ length: 40 }, (_, update) => line(update)).join(''));
    await looked();
    expect(index.rows().runs[0]).toMatchObject({ updates: 40, success: { last: 0.125, best: 0.125 } });
  });

  it('have at most 64 points of success while training, the first and the last among them', async () => {
    const run = trained(folder, 0, false);
    onTestFinished(() => run.finish());
    for (let update = 3; update < 200; update++)
      run.metrics({ kind: 'update', update, success: update / 200 });
    const { curve } = (await indexed()).rows().runs[0]!.success;
    // every fourth of 200, and the last
    expect(curve).toHaveLength(51);
    expect([curve[0], curve[1], curve.at(-2), curve.at(-1)]).toEqual([0.25, 4 / 200, 196 / 200, 199 / 200]);
  });

  it('are gone with their folders', async () => {
    const { folder: run } = trained(folder);
    const index = await indexed();
    const { version } = index;
    rmSync(run, { recursive: true });
    index.look();
    expect(index.rows().runs).toEqual([]);
    expect(index.changedSince(version)).toEqual([run.split('/').at(-1)]);
  });

  it('have a person’s notes, which change nothing else in the folder', async () => {
    const { folder: run } = trained(folder);
    changeNotes(run, { note: 'try more steps', isStarred: true });
    changeNotes(run, { title: 'slow one' });
    expect((await indexed()).rows().runs).toMatchObject([
      { title: 'slow one', note: 'try more steps', isStarred: true, state: 'done' },
    ]);
    expect(changeNotes(run, { title: '', note: null })).toEqual({ title: null, note: null, isStarred: true });
    for (const wrong of [
      7,
      [],
      { title: 7 },
      { isStarred: 'yes' },
      { constructor: 'x' },
      { note: 'x'.repeat(10_001) },
    ])
      expect(() => changeNotes(run, wrong)).toThrow(/^notes\.json: /);
  });
});

describe('a stored index', () => {
  it('is believed for files of the same size and time alone', async () => {
    const { folder: run } = trained(folder);
    const cache = join(folder, '.cache', 'index.json');
    (await indexed(cache)).store();
    const metrics = join(run, 'metrics.jsonl');
    const changed = new Date(5000);
    utimesSync(metrics, changed, changed);
    (await indexed(cache)).store();
    // other content that size and time do not tell: it is not read
    const other = '{"kind":"update","update":8}'.padEnd(statSync(metrics).size - 1);
    writeFileSync(metrics, `${other}\n`);
    utimesSync(metrics, changed, changed);
    expect((await indexed(cache)).rows().runs[0]).toMatchObject({ updates: 3 });
    utimesSync(metrics, new Date(6000), new Date(6000));
    expect((await indexed(cache)).rows().runs[0]).toMatchObject({ updates: 9 });
  });

  it.each(['no JSON', '{"form":0}', '[]', 'null'])('that is damaged (%s) is left out', async (content) => {
    trained(folder);
    const cache = join(folder, '.index.json');
    writeFileSync(cache, content);
    expect((await indexed(cache)).rows().runs[0]).toMatchObject({ updates: 3 });
  });
});

it('shows a run whose notes are a link to themselves, and all others', async () => {
  const run = trained(folder);
  trained(folder, 1);
  symlinkSync('notes.json', join(run.folder, 'notes.json'));
  const index = await indexed();
  expect(index.rows().runs).toHaveLength(2);
});
