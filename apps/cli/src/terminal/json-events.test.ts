/** Events of a command in progress, for other programs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 1 --games-per-round 2 --max-steps 3 --updates-per-episode 1 --beams 1 --eval-games 1'.split(' ');
const bc = ['train', '--phase', 'bc', ...small];

type Event = Readonly<Record<string, unknown>> & { readonly event: string };

function eventsIn(stdout: string): Event[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
}

describe('emac train --json', () => {
  it('prints every event as a line of standard output, words on standard error, the result last', async () => {
    const { status, stdout, stderr } = await emac([...bc, '--json', '--out', join(folder, 'json')]);
    expect(status).toBe(0);
    const events = eventsIn(stdout);
    const kinds = events.map(({ event }) => event);
    expect(kinds[0]).toBe('run');
    expect(kinds.at(-1)).toBe('result');
    for (const each of events) expect(new Date(String(each['time'])).toISOString()).toBe(each['time']);
    const { folder: run } = events[0] as unknown as { folder: string };
    // 2 episodes of at most 3 steps; 1 game before and 1 after; metrics as in the run's own file
    const of = (kind: string) => events.filter(({ event }) => event === kind);
    expect(of('episode-end')).toHaveLength(2);
    expect(of('game')).toHaveLength(2);
    expect(of('begin').map(({ part }) => part)).toEqual([
      'evaluation before',
      'expert',
      'training',
      'evaluation after',
    ]);
    const metrics = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
    expect(of('update').concat(of('probe'), of('round-end'))).toHaveLength(metrics.length);
    expect(of('update').map(({ metrics: line }) => line)).toEqual(
      metrics.map((line) => JSON.parse(line) as Event).filter(({ kind }) => kind === 'update'),
    );
    expect(of('step')[0]).toMatchObject({ game: expect.any(String) as string, step: 1 });
    expect(stdout).not.toContain('"frames"');
    const evaluated = JSON.parse(readFileSync(join(run, 'eval.json'), 'utf8')) as object;
    expect(events.at(-1)).toMatchObject({ folder: run, phase: 'bc', games: 2, after: evaluated });
    expect(stderr).toContain('│ success');
    expect(stderr).toContain(`report: ${join(run, 'report.html')}`);
  });

  it('prints no words beside that with --quiet', async () => {
    const quiet = await emac([...bc, '--json', '--quiet', '--out', join(folder, 'quiet-json')]);
    expect([quiet.status, quiet.stderr]).toEqual([0, '']);
    expect(eventsIn(quiet.stdout).at(-1)!.event).toBe('result');
  });
});

describe('--quiet', () => {
  it('keeps the warning of a lost tracker, for people and as an event', async () => {
    const out = join(folder, 'lost');
    // event files need a folder, and a file is in its place
    writeFileSync(join(folder, 'a-file'), '');
    const env = { WANDB_DIR: join(folder, 'a-file') };
    const flags = ['--tracker', 'wandb', '--json', '--quiet', '--out', out];
    const { status, stdout, stderr } = await emac([...bc, ...flags], { env });
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^--tracker wandb: .*the run continues without it\n$/),
    ]);
    const warned = eventsIn(stdout).filter(({ event }) => event === 'warning');
    expect(warned.map(({ text }) => `${String(text)}\n`)).toEqual([stderr]);
  });

  it('keeps the result of training, and errors', async () => {
    const { status, stdout, stderr } = await emac([...bc, '--quiet', '--out', join(folder, 'quiet')]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^run: [^]*│ success [^]*next: [^]*\nreport: .*\n$/);
    const wrong = await emac([...bc, '--quiet', '--games', '/nowhere', '--out', join(folder, 'wrong')]);
    expect([wrong.status, wrong.stdout, wrong.stderr.includes('/nowhere')]).toEqual([66, '', true]);
  });
});

describe('emac eval and collect', () => {
  const play = ['--num-games', '1', '--max-steps', '2', '--beams', '1'];
  const evaluate = ['eval', '--ckpt', 'emma-tiny', ...play];

  it('print an evaluation’s result alone for --json, and after all events for --events', async () => {
    const alone = await emac([...evaluate, '--json']);
    const after = await emac([...evaluate, '--events', '--quiet']);
    expect([alone.status, after.status, after.stderr]).toEqual([0, 0, '']);
    const lines = after.stdout.trimEnd().split('\n');
    expect(`${lines.at(-1)}\n`).toBe(alone.stdout);
    const events = lines.slice(0, -1).map((line) => JSON.parse(line) as Event);
    expect(events.map(({ event }) => event).filter((kind) => kind !== 'note')).toEqual([
      'begin',
      'step',
      'step',
      'game',
    ]);
  });

  it('do the same for a collection', async () => {
    const out = join(folder, 'data');
    const { status, stdout, stderr } = await emac(['collect', ...play, '--out', out, '--json', '--quiet']);
    expect([status, stderr]).toEqual([0, '']);
    const events = eventsIn(stdout);
    expect(events.at(-1)).toMatchObject({ event: 'result', dataset: join(out, 'train.json'), games: 1 });
    expect(events.filter(({ event }) => event === 'game')).toHaveLength(1);
  });
});
