/** `emac sweep`: ordinary runs, whatever is killed on the way; a wrong file is one sentence. Needs the compiled command. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SweepRow } from '@emac/experiment';
import { lockRun } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const words =
  'train --method ppo --env gym_cards/NumberLine-v0 --policy mlp --num-processes 2 --steps 24 --checkpoint-every 1 --eval-episodes 4';
const fourSteps = `${words} --num-steps 4`;

function file(name: string, more: object): string {
  const path = join(folder, `${name}.yaml`);
  // JSON is YAML
  writeFileSync(path, JSON.stringify({ command: words, ...more }));
  return path;
}

const stepsPerUpdate = [4, 6, 8];
const grid = { 'play.stepsPerUpdate': stepsPerUpdate };

/** Metrics, evaluations and checkpoints of the one run in a folder. */
function contentOf(out: string): Map<string, string> {
  const [run] = readdirSync(out, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = readdirSync(join(out, run!.name), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(metrics\.jsonl|eval.*\.json|checkpoints\/\d+\/.*)$/.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(out, run!.name, name), 'base64')]));
}

function linesOf(content: ReadonlyMap<string, string>): string[] {
  return Buffer.from(content.get('metrics.jsonl')!, 'base64').toString().trimEnd().split('\n');
}

describe.skipIf(!isBuilt)('emac sweep', () => {
  it('ends in the bytes of single runs after kills of the sweep and of its runs, and repeats no finished one', async () => {
    const out = join(folder, 'killed');
    // one after the other: at the kill the first is finished, the second may go on by itself, and the third is not begun
    const argv = ['sweep', file('three', { grid, seeds: [1] }), '--out', out, '--parallel', '1', '--json'];
    const killed = await emacProcess(
      argv,
      once('finished: ', (child) => child.kill('SIGKILL')),
    );
    expect(killed.signal).toBe('SIGKILL');
    const broken = await emac(argv, { env: { EMAC_FAILPOINT: 'updating:2' } });
    expect(broken.stderr).toMatch(
      /emac: \d of 3 runs failed; stepsPerUpdate \d seed 1 was killed; the same command resumes them\n/,
    );
    expect(broken.status).toBe(2);
    const whole = await emac(argv);
    expect(whole.status).toBe(0);
    const cells = ['000-s1', '001-s1', '002-s1'];
    expect(readdirSync(join(out, 'cells')).sort()).toEqual(cells);
    const successes: number[] = [];
    for (const [place, cell] of cells.entries()) {
      const alone = join(folder, `alone-${cell}`);
      const steps = String(stepsPerUpdate[place]);
      await emac([...words.split(' '), '--seed', '1', '--num-steps', steps, '--out', alone]);
      expect(contentOf(join(out, 'cells', cell)), cell).toEqual(contentOf(alone));
      const after = Buffer.from(contentOf(alone).get('eval.json')!, 'base64').toString();
      successes.push((JSON.parse(after) as { success: number }).success);
    }
    const { rows } = JSON.parse(whole.stdout) as {
      rows: { settings: object; success: { mean: number }; seeds: { done: boolean }[] }[];
    };
    expect(rows.map(({ settings }) => settings)).toEqual(
      stepsPerUpdate.map((steps) => ({ 'play.stepsPerUpdate': steps })),
    );
    expect(rows.map(({ success }) => success.mean)).toEqual(successes);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('stepsPerUpdate 6');

    const before = cells.map((cell) => statSync(join(out, 'cells', cell, 'output.log')).size);
    const again = await emac(argv);
    expect(again.stderr).toBe('3 of 3 runs are finished\n');
    expect(again.stdout).toBe(whole.stdout);
    expect(cells.map((cell) => statSync(join(out, 'cells', cell, 'output.log')).size)).toEqual(before);
  });

  it('stops the worse half at its update, also over a Ctrl-C; the other ends in the bytes of a single run', async () => {
    const rates = [0.01, 0.0001];
    const more = {
      grid: { 'optimization.learningRate': rates },
      command: fourSteps,
      'stop-worst': { after: [0.4] },
    };
    const out = join(folder, 'halved');
    const argv = ['sweep', file('halved', more), '--out', out, '--parallel', '2', '--json'];
    const interrupted = await emacProcess(
      argv,
      once('stopped after', (child) => child.kill('SIGINT')),
    );
    expect([interrupted.status, interrupted.stderr]).toEqual([
      75,
      expect.stringContaining('stopped on request; the same command resumes'),
    ]);
    const whole = await emac(argv);
    expect(whole.status).toBe(0);
    const { rows } = JSON.parse(whole.stdout) as { rows: SweepRow[] };
    const stopped = rows.findIndex((row) => row.stopped);
    expect(rows.map((row) => row.seeds[0]!.done)).toEqual(rows.map((_, place) => place !== stopped));
    for (const { stderr } of [interrupted, whole])
      expect(stderr).toMatch(new RegExp(`^stopped after 40 %, .*: learningRate ${rates[stopped]!}$`, 'm'));
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('stopped after 40 %');

    const contents = await Promise.all(
      rates.map(async (rate, place) => {
        const alone = join(folder, `alone-rate-${place}`);
        await emac([...fourSteps.split(' '), '--lr', String(rate), '--out', alone]);
        return { whole: contentOf(alone), swept: contentOf(join(out, 'cells', `00${place}-s0`)) };
      }),
    );
    const { whole: single, swept } = contents[1 - stopped]!;
    expect(swept).toEqual(single);
    const half = contents[stopped]!;
    // 24 steps, 2 environments, 4 steps each: 3 updates, of which 40 % are the first 2
    const updates = linesOf(half.swept);
    expect(updates).toEqual(linesOf(half.whole).slice(0, 2));
    for (const [name, bytes] of half.swept)
      if (name.startsWith('checkpoints/')) expect(bytes, name).toBe(half.whole.get(name));
    const returns = updates.map((line) => (JSON.parse(line) as { mean_return: number | null }).mean_return);
    const known = returns.filter((each) => each !== null);
    const measure = known.length ? known.reduce((sum, each) => sum + each) / known.length : null;
    expect(rows[stopped]!.stopped).toEqual({ share: 0.4, measure });
  });

  it('is refused in the folder of another sweep', async () => {
    const out = join(folder, 'killed');
    const { status, stderr } = await emac(['sweep', file('other', { grid, seeds: [9] }), '--out', out]);
    expect([status, stderr]).toEqual([
      78,
      `emac: --out ${out}: its sweep.json is of another sweep, of this file before a change, or damaged; give another folder\n`,
    ]);
  });
});

describe('a sweep', () => {
  it('is refused while another process carries it out', async () => {
    const out = join(folder, 'held');
    mkdirSync(out);
    const lock = lockRun(out, 'sweep');
    const { status, stderr } = await emac(['sweep', file('held', { grid }), '--out', out]);
    lock.release();
    expect(status).toBe(73);
    expect(stderr).toMatch(
      /^emac: .*held: process \d+ on .* is using this sweep; wait for it or stop it first\n$/,
    );
    expect(existsSync(join(out, 'cells'))).toBe(false);
  });
});

describe('the file of a sweep', () => {
  it('with an alias to nothing is one sentence', async () => {
    const path = join(folder, 'alias.yaml');
    writeFileSync(path, 'command: *missing\n');
    const { status, stderr } = await emac(['sweep', path]);
    expect([status, stderr]).toEqual([78, expect.stringMatching(/^emac: .*alias\.yaml: .*missing\n$/)]);
  });

  it.each<[string, object, string]>([
    [
      'a wrong setting',
      { grid: { 'optimization.learningRat': [1] } },
      'optimization.learningRat: is not a setting; did you mean optimization.learningRate?',
    ],
    [
      'a stop in a method without updates',
      { command: 'train --method bc', 'stop-worst': { after: [0.5] } },
      'stop-worst: is for methods that count updates, ppo and those of grpo; leave it out',
    ],
    ['a wrong value', { grid: { 'optimization.learningRate': [-1] } }, 'optimization.learningRate: '],
    ['an unknown flag', { command: `${words} --step 3` }, '--step'],
    [
      'another command',
      { command: 'eval --ckpt latest' },
      'command: must begin with train --method, got "eval"',
    ],
    [
      'where workers are',
      { command: `${words} --queue redis://a` },
      'command: --queue is a flag of emac sweep, for all runs; give it there',
    ],
    ['a flag of the sweep', { command: `${words} --seed 3` }, 'command: --seed is decided by the sweep'],
    ['a setting of the sweep', { command: `${words} seed=3` }, 'command: seed is decided by the sweep'],
    ['a request for help', { command: 'train --help' }, 'command: --help trains nothing; leave it out'],
    [
      'a setting that a flag decides',
      { command: `${words} --lr 0.1`, grid: { 'optimization.learningRate': [0.1, 0.2] } },
      'optimization.learningRate: --lr decides it for all runs; leave one out',
    ],
    [
      'a setting under its earlier name that a flag decides',
      { command: `${words} --passes 2`, grid: { 'optimization.epochs': [1, 3] } },
      'optimization.epochs: --passes decides it for all runs; leave one out',
    ],
    [
      'a setting under two names',
      { grid: { 'optimization.epochs': [1, 3], 'optimization.passes': [2] } },
      'optimization.passes is the earlier or later name of another one; leave one out',
    ],
    [
      'code among the settings',
      { command: 'train --method ppo', grid: { env: ['./mine.mjs'] } },
      'env ./mine.mjs is code, which runs only if the command line names it',
    ],
    [
      'code in a word of the command',
      { command: 'train --method ppo env=./mine.mjs' },
      'command: --env ./mine.mjs is code',
    ],
    [
      'an environment’s code',
      { command: 'train --method ppo --env ./mine.mjs' },
      'command: --env ./mine.mjs is code, which runs only if the command line names it; leave it out here, and give emac sweep --env ./mine.mjs',
    ],
    [
      'a reward’s code among the settings',
      {
        command: 'train --method grpo --env alfworld',
        grid: { 'rewards.attempt': ['return', './mine.mjs'] },
      },
      'rewards.attempt ./mine.mjs is code, which runs only if the command line names it; leave it out here, and give emac sweep --reward ./mine.mjs',
    ],
    [
      'a reward’s code in a word of the command',
      { command: 'train --method grpo rewards.attempt=./mine.mjs' },
      'command: --reward ./mine.mjs is code',
    ],
    [
      'an expert’s code',
      { command: 'train --method bc --expert=./mine.mjs' },
      'command: --expert ./mine.mjs is code',
    ],
  ])('with %s is one sentence, and nothing is written', async (what, more, rule) => {
    const path = file('wrong', more);
    const out = join(folder, what);
    const { status, stdout, stderr } = await emac(['sweep', path, '--out', out]);
    expect(stderr).toContain(rule);
    expect(stderr).toMatch(/^emac: .*wrong\.yaml: .*\n$/);
    expect([64, 78]).toContain(status);
    expect(stdout).toBe('');
    expect(existsSync(out)).toBe(false);
  });
});
