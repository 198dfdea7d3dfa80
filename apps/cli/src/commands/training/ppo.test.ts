/** Reinforcement learning from the command line: printed reports, and equal bytes after stops. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint, type Failpoint } from '@emac/files';
import { readRecord } from '@emac/runs';
import { alsoLong } from '@emac/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { copiedAt, runKilledAt, type KilledAt } from '../../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
const flags =
  '--env gym_cards/NumberLine --policy mlp --steps 640 --num-processes 4 --num-steps 32 --batch-size 64 --checkpoint-every 2 --eval-episodes 20';
const small = ['ppo', ...flags.split(' ')];
const only = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

afterEach(() => onFailpoint(null));

/** All files and fields without dates, by name. */
function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && !['run.json', 'events.jsonl', 'command.txt', 'report.html'].includes(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1));
  return new Map(names.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

const kills = [
  'updating:3',
  'appended:2',
  'checkpoint-files-synced:2',
  'checkpoint-latest-named:3',
  'run-evaluated:1',
] as const satisfies readonly KilledAt[];
const copies = join(folder, 'copies');

let undisturbed = '';
let printed = '';
beforeAll(async () => {
  const out = join(folder, 'undisturbed');
  const work = () => emac([...small, '--out', out]);
  const { status, stdout } = await copiedAt(kills, { out, copies, work });
  expect(status).toBe(0);
  [undisturbed, printed] = [only(out), stdout];
});

describe('emac train --method ppo', () => {
  it('prints a table of held-out episodes, and writes the usual run folder', () => {
    expect(printed).toMatch(/success\s+│\s+\d+ % \(\d+ of 20\)/);
    expect(printed).toContain('gym_cards/NumberLine-v0, 20 held-out tasks');
    // 640 steps in updates of 4 · 32
    expect(printed).toContain('training: 640 steps, 5 updates');
    const names = readdirSync(undisturbed);
    for (const name of [
      'DONE',
      'config.yaml',
      'metrics.jsonl',
      'eval-before.json',
      'eval.json',
      'report.html',
    ])
      expect(names).toContain(name);
    // a checkpoint every second update and after the last: 0, 2 · 128 + 2, 4 · 128 + 4, 640 + 5
    const checkpoints = readdirSync(join(undisturbed, 'checkpoints')).filter((name) => /^\d+$/.test(name));
    expect(checkpoints.sort()).toEqual(['00000000', '00000258', '00000516', '00000645']);
    const seeds = (name: string) =>
      (JSON.parse(readFileSync(join(undisturbed, name), 'utf8')) as { games: { id: string }[] }).games.map(
        ({ id }) => id,
      );
    // before and after on the same episodes, all of odd seeds
    expect(seeds('eval.json')).toEqual(seeds('eval-before.json'));
    expect(seeds('eval.json').every((id) => BigInt(id.split('/').at(-1)!) % 2n === 1n)).toBe(true);
    expect(readFileSync(join(undisturbed, 'report.html'), 'utf8')).toContain('Reinforcement learning (PPO)');
  });

  it.each([
    ['updating', 2],
    ['run-visible', 1],
    ...alsoLong([
      ['updating', 1],
      ['updating', 4],
      ['checkpoint-written', 2],
    ] as const),
  ] as const)('resumes to the same bytes after a stop at %s (%i)', async (name: Failpoint, count) => {
    const out = join(folder, `${name}-${count}`);
    const interruption = new AbortController();
    let left = count;
    onFailpoint((passed) => {
      if (passed === name && --left === 0) interruption.abort();
    });
    const stopped = await emac([...small, '--out', out], { interruption });
    onFailpoint(null);
    expect([stopped.status, stopped.stderr.includes(`npx emac train --resume ${only(out)}`)]).toEqual([
      75,
      true,
    ]);
    expect(readRecord(only(out)).status).toBe('interrupted');
    const { status, stdout } = await emac(['ppo', '--resume', only(out)]);
    expect([status, stdout.includes('since it was resumed')]).toEqual([0, true]);
    expect(contentOf(only(out))).toEqual(contentOf(undisturbed));
  });

  it('resumes from an older checkpoint to the same bytes, as after a kill', async () => {
    const run = join(folder, 'killed');
    cpSync(undisturbed, run, { recursive: true });
    for (const name of ['DONE', 'eval.json', 'checkpoints/00000516', 'checkpoints/00000645'])
      rmSync(join(run, name), { recursive: true });
    expect((await emac(['ppo', '--resume', run])).status).toBe(0);
    expect(contentOf(run)).toEqual(contentOf(undisturbed));
  });

  it.each(kills)('resumes to the same bytes after kill -9 at %s', async (place) => {
    const run = runKilledAt(place, copies);
    const { status } = await emac(['ppo', '--resume', run]);
    expect(status).toBe(0);
    expect(contentOf(run)).toEqual(contentOf(undisturbed));
  });

  it('does not resume a finished run, and starts a new one from it on request', async () => {
    const before = contentOf(undisturbed);
    const { status, stderr } = await emac(['ppo', '--resume', undisturbed]);
    expect([status, stderr]).toEqual([0, `run ${undisturbed}: is finished\n`]);
    expect(contentOf(undisturbed)).toEqual(before);
    const out = join(folder, 'from');
    expect((await emac([...small, '--init', undisturbed, '--steps', '128', '--out', out])).status).toBe(64);
    const from = ['ppo', ...flags.replace('--steps 640', '--steps 128').split(' ')];
    expect((await emac([...from, '--init', undisturbed, '--out', out])).status).toBe(0);
    const games = (run: string, name: string) =>
      (JSON.parse(readFileSync(join(run, name), 'utf8')) as { games: unknown }).games;
    expect(games(only(out), 'eval-before.json')).toEqual(games(undisturbed, 'eval.json'));
  });

  it('evaluates to its final numbers, in a table, as JSON and in films', async () => {
    const evaluate = [
      'eval',
      '--env',
      'gym_cards/NumberLine',
      '--num-episodes',
      '20',
      '--policy',
      'mlp',
      '--ckpt',
    ];
    const { status, stdout } = await emac([...evaluate, undisturbed, '--json']);
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    const stored = JSON.parse(readFileSync(join(undisturbed, 'eval.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(result['games']).toEqual(stored['games']);
    expect(result['episode_reward.mean']).toBe(stored['mean_return']);
    const before = JSON.parse(readFileSync(join(undisturbed, 'eval-before.json'), 'utf8')) as typeof stored;
    const untouched = await emac([...evaluate, 'untouched', '--json']);
    expect((JSON.parse(untouched.stdout) as typeof stored)['games']).toEqual(before['games']);
    const blank = await emac([...evaluate, undisturbed, '--observe', 'text']);
    expect([blank.status, blank.stderr]).toEqual([
      64,
      expect.stringContaining('reads no picture; leave it out'),
    ]);
    const out = join(folder, 'evaluated');
    const filmed = await emac([...evaluate, undisturbed, '--gif', 'won', '--out', out]);
    expect(filmed.stdout).toMatch(/│\s+\d+ % \(\d+ of 20\)/);
    const won = (stored['games'] as { won: boolean }[]).filter((game) => game.won).length;
    expect(won > 0 ? readdirSync(join(out, 'gifs')).length : 0).toBe(won);
  });

  it.each([
    [64, ['ppo'], '--env: is required'],
    [64, ['ppo', '--env', 'gym_cards/NumberLin'], 'gym_cards/NumberLine-v0'],
    [64, ['ppo', '--env', 'gym_cards/NumberLine-v0', '--gamma', '2'], '--gamma'],
    [64, ['ppo', '--env', 'gym_cards/NumberLine-v0', '--preset', 'large'], '--preset'],
    [64, ['ppo', '--env', 'gym_cards/NumberLine-v0', '--palette', 'legacy-wrapped'], '--palette'],
    [
      64,
      ['ppo', '--env', 'gym_cards/NumberLine', '--policy', 'rl-tiny', '--init', 'emma-tiny'],
      '--init emma-tiny: must be a run or a checkpoint of',
    ],
    [64, ['ppo', '--resume', folder, '--gamma', '1'], '--gamma: a run resumes with its own settings'],
    [66, ['ppo', '--resume', '/nowhere'], '/nowhere'],
    [66, ['ppo', '--env', 'gym_cards/NumberLine-v0', '--init', '/nowhere'], '/nowhere'],
    [
      64,
      ['eval', '--env', 'gym_cards/NumberLine-v0', '--ckpt', 'untouched', '--games', 'builtin:train'],
      '--games: is for environments whose tasks and actions are words, got --env gym_cards/NumberLine-v0; leave it out',
    ],
    [
      64,
      ['eval', '--ckpt', 'emma-tiny', '--attempts', '4'],
      '--attempts 4: a search answers every attempt alike; give --temperature above 0, or leave it out',
    ],
    [78, ['ppo', '--env', 'gym_cards/NumberLine-v0', 'play.nothing=1'], 'play.nothing: is not a setting'],
  ])('ends with %i for %j', async (status, argv, message) => {
    const result = await emac([
      ...argv,
      ...(argv.includes('--resume') ? [] : ['--out', join(folder, 'none')]),
    ]);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(message)]);
  });

  it('can be resumed by any training command, but rejects that command’s flags', async () => {
    const run = join(folder, 'other');
    cpSync(undisturbed, run, { recursive: true });
    for (const name of ['DONE', 'eval.json', 'checkpoints/00000516', 'checkpoints/00000645'])
      rmSync(join(run, name), { recursive: true });
    const refused = await emac(['train', '--resume', run, '--skip-bad-records']);
    expect([refused.status, refused.stderr]).toEqual([
      64,
      expect.stringContaining('--skip-bad-records: a run resumes with its own settings'),
    ]);
    const { status, stdout } = await emac(['train', '--resume', run]);
    expect([status, stdout]).toEqual([0, expect.stringContaining('training: 640 steps, 5 updates')]);
    expect(contentOf(run)).toEqual(contentOf(undisturbed));
  });

  it('reports why a run stopped early, and that critic-only updates do not train the policy', async () => {
    const flags = '--env gym_cards/NumberLine --policy mlp --num-processes 4 --eval-episodes 0'.split(' ');
    const early = [
      ...flags,
      ...'--num-steps 16 --steps 2560 --lr 1e-9 --best-ema 0.5 --patience 4'.split(' '),
    ];
    const stopped = await emac(['ppo', ...early, '--json', '--quiet', '--out', join(folder, 'early')]);
    const { stopped: why } = JSON.parse(stopped.stdout.trimEnd().split('\n').at(-1)!) as { stopped: string };
    expect(why).toMatch(
      /^after update \d+ of 40: --patience 4: the average return of complete cohorts was best after \d+ of the \d+ updates with a complete cohort/,
    );
    expect(readRecord(only(join(folder, 'early')))).toMatchObject({ status: 'done', reason: why });
    const warmUp = ['ppo', ...flags, ...'--num-steps 128 --value-init-steps 2 --steps'.split(' ')];
    const warmed = await emac([...warmUp, '1024', '--out', join(folder, 'warmed')]);
    expect(warmed.stdout).toContain(
      'the policy did not learn: all 2 updates trained the critic alone (--value-init-steps 2)',
    );
    const learned = await emac([...warmUp, '1536', '--out', join(folder, 'learned')]);
    expect(learned.stdout).not.toContain('did not learn');
  });
});
