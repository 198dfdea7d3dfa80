/** Stopped, killed and damaged runs resume to the bytes of an undisturbed run. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint, type Failpoint } from '@emac/files';
import { loadCheckpoint, readRecord, resolveCheckpoint } from '@emac/runs';
import { alsoLong } from '@emac/testing';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 2 --games-per-round 2 --max-steps 3 --updates-per-episode 2 --beams 1 --eval-games 0'.split(' ');
const runsIn = (out: string): string[] =>
  readdirSync(out)
    .filter((name) => !name.startsWith('.'))
    .sort()
    .map((name) => join(out, name));
const only = (out: string): string => runsIn(out)[0]!;

afterEach(() => onFailpoint(null));

/** All files and fields without dates, by name. */
function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !['run.json', 'events.jsonl', 'config.yaml', 'world.log', 'command.txt', 'report.html'].includes(
          entry.name,
        ),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1));
  return new Map(names.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

/** Trains, and stops it at the `count`-th pass of a failpoint. */
async function stoppedAt(name: Failpoint, count: number, argv: readonly string[]) {
  const interruption = new AbortController();
  let left = count;
  onFailpoint((passed) => {
    if (passed === name && --left === 0) interruption.abort();
  });
  const result = await emac(argv, { interruption });
  onFailpoint(null);
  return result;
}

let undisturbed = '';
beforeAll(async () => {
  const { status } = await emac(['train', '--phase', 'bc', ...small, '--out', join(folder, 'undisturbed')]);
  expect(status).toBe(0);
  undisturbed = only(join(folder, 'undisturbed'));
});

/** A copy of the run as a kill after its first round leaves it. */
function cutOff(name: string): string {
  const run = join(folder, name);
  cpSync(undisturbed, run, { recursive: true });
  rmSync(join(run, 'DONE'));
  const steps = readdirSync(join(run, 'checkpoints'))
    .filter((each) => /^\d+$/.test(each))
    .sort();
  for (const step of steps.slice(3)) rmSync(join(run, 'checkpoints', step), { recursive: true });
  return run;
}

describe('emac train --resume', () => {
  it.each([
    ['acting', 7],
    ...alsoLong([
      ['reflecting', 1],
      ['updating', 2],
      ['run-visible', 1],
    ] as const),
  ] as const)('resumes to the same bytes after a stop while %s (%i)', async (name, count) => {
    const out = join(folder, `${name}-${count}`);
    const stopped = await stoppedAt(name, count, ['train', '--phase', 'bc', ...small, '--out', out]);
    expect(stopped.status).toBe(75);
    expect(readRecord(only(out)).status).toBe('interrupted');
    const { status, stdout } = await emac(['train', '--resume', only(out)]);
    expect([status, stdout.includes('since it was resumed')]).toEqual([0, true]);
    expect(contentOf(only(out))).toEqual(contentOf(undisturbed));
  });

  it('saves progress since the last checkpoint, and deletes it later', async () => {
    const out = join(folder, 'within');
    await stoppedAt('updating', 2, ['train', '--phase', 'bc', ...small, '--out', out]);
    const { state } = loadCheckpoint(resolveCheckpoint(only(out)).folder);
    // the first episode gave one of two updates
    expect(state['training']).toMatchObject({ updates: 1, current: { updates: 1 }, episodes: 0 });
  });

  it('does not resume a finished run', async () => {
    const before = contentOf(undisturbed);
    const { status, stderr } = await emac(['train', '--resume', undisturbed]);
    expect([status, stderr]).toEqual([0, `run ${undisturbed}: is finished\n`]);
    expect(contentOf(undisturbed)).toEqual(before);
  });

  it('skips damaged checkpoints, says so, and makes them again', async () => {
    const run = cutOff('damaged');
    const latest = readdirSync(join(run, 'checkpoints'))
      .filter((each) => /^\d+$/.test(each))
      .sort()
      .at(-1)!;
    writeFileSync(join(run, 'checkpoints', latest, 'optimizer.safetensors'), 'torn');
    const evaluated = await emac(['eval', '--ckpt', join(run, 'checkpoints', latest), '--num-games', '1']);
    expect(evaluated.status).toBe(65);
    const { status, stderr } = await emac(['train', '--resume', run]);
    expect(status).toBe(0);
    expect(stderr).toMatch(new RegExp(`skipped: .*${latest}/optimizer.safetensors: has 4 bytes`));
    expect(contentOf(run)).toEqual(contentOf(undisturbed));
  });

  it('ends with 65 without an intact checkpoint, and changes nothing', async () => {
    const run = cutOff('hopeless');
    writeFileSync(join(run, 'metrics.jsonl'), '');
    const before = contentOf(run);
    const { status, stderr } = await emac(['train', '--resume', run]);
    expect([status, stderr.includes('every checkpoint is damaged')]).toEqual([65, true]);
    expect(contentOf(run)).toEqual(before);
  });

  it('rejects other code unless --allow-drift is given, and always another model or other games', async () => {
    const run = cutOff('drift');
    const path = join(run, 'run.json');
    const record = readRecord(run);
    const made = (versions: object) =>
      writeFileSync(path, JSON.stringify({ ...record, versions: { ...record.versions, ...versions } }));
    made({ games: 'other games' });
    expect((await emac(['train', '--resume', run, '--allow-drift'])).status).toBe(65);
    made({ code: '0'.repeat(64) });
    const refused = await emac(['train', '--resume', run]);
    expect([refused.status, refused.stderr]).toEqual([
      78,
      expect.stringMatching(/code [0-9a-f]{12} instead of 000000000000.*--allow-drift/),
    ]);
    expect((await emac(['train', '--resume', run, '--allow-drift'])).status).toBe(0);
  });

  it.each([
    [66, '/nowhere'],
    [66, folder],
  ])('ends with %i for %s (not a run)', async (status, place) => {
    const result = await emac(['train', '--resume', place]);
    expect([result.status, result.stderr.includes(place)]).toEqual([status, true]);
  });

  it('rejects settings beside the run’s own', async () => {
    const run = cutOff('settings');
    expect((await emac(['train', '--resume', run, '--lr', '1'])).stderr).toContain('--lr');
    writeFileSync(
      join(run, 'config.yaml'),
      readFileSync(join(run, 'config.yaml'), 'utf8').replace('rounds: 2', 'rounds: 3'),
    );
    const { status, stderr } = await emac(['train', '--resume', run]);
    expect([status, stderr.includes('config.yaml')]).toEqual([78, true]);
  });

  it('never writes NaN or infinity into a checkpoint', async () => {
    const out = join(folder, 'diverged');
    const { status } = await emac(['train', '--phase', 'bc', ...small, '--lr', '1e38', '--out', out]);
    expect(status).toBe(2);
    expect(readRecord(only(out)).status).toBe('failed');
    const { projection } = loadCheckpoint(resolveCheckpoint(only(out)).folder);
    for (const { data } of projection.values()) expect(data.every(Number.isFinite)).toBe(true);
  });
});

describe('emac train --phase bc,dpo', () => {
  const both = ['train', '--phase', 'bc,dpo', ...small, '--carry', 'memories'];

  it('reports the first phase at its end, even if the second fails', async () => {
    const out = join(folder, 'reported');
    const interruption = new AbortController();
    let begun = 0;
    const onStderr = (text: string) => {
      if (text.startsWith('training: ') && ++begun === 2) interruption.abort();
    };
    const { status, stdout, stderr } = await emac([...both, '--out', out], { interruption, onStderr });
    const [first, second] = runsIn(out);
    expect([status, stdout.match(/^run: .*$/gm)]).toEqual([75, [`run: ${first}`]]);
    expect(stderr).toContain(`to resume: npx emac train --resume ${second}\n`);
  });

  it('trains dpo against the result of bc, and resumes from the first phase into the second', async () => {
    const whole = join(folder, 'both');
    expect((await emac([...both, '--out', whole])).status).toBe(0);
    const [first, second] = runsIn(whole);
    expect([first, second].map((run) => existsSync(join(run!, 'DONE')))).toEqual([true, true]);
    const parameters = (run: string) =>
      readFileSync(join(resolveCheckpoint(run).folder, 'projection.safetensors'));
    expect(readFileSync(join(second!, 'reference', 'projection.safetensors'))).toEqual(parameters(first!));
    const lessons = (run: string) =>
      (loadCheckpoint(run).state['training'] as { memories: [string, string[]][] }).memories;
    const learned = lessons(resolveCheckpoint(first!).folder);
    expect(learned.length).toBeGreaterThan(0);
    expect(lessons(`${second!}/checkpoints/00000000`)).toEqual(learned);
    // a single phase ends alike
    const bare = (run: string) => readFileSync(join(run, 'metrics.jsonl'), 'utf8');
    expect(bare(first!)).toBe(bare(undisturbed));

    const out = join(folder, 'both-stopped');
    const stops = [
      ['acting', 5, both.concat('--out', out)],
      ['run-done', 1, ['train', '--resume']],
      ['acting', 3, ['train', '--resume']],
    ] as const;
    for (const [name, count, argv] of stops) {
      const resumed = argv.length === 2 ? [...argv, only(out)] : argv;
      expect((await stoppedAt(name, count, resumed)).status).toBe(75);
      // the first phase's folder may be moved away: the second one holds its policy
    }
    expect(runsIn(out)).toHaveLength(2);
    expect((await emac(['train', '--resume', only(out)])).status).toBe(0);
    runsIn(out).forEach((run, place) => expect(contentOf(run)).toEqual(contentOf(runsIn(whole)[place]!)));
    // also by a name without its folder
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(only(out));
    const again = await emac(['train', '--resume', '.']);
    expect([again.status, again.stderr.match(/is finished/g)]).toEqual([0, ['is finished', 'is finished']]);
    expect(runsIn(out)).toHaveLength(2);
  });
});
