/** A robot policy evaluated from the command line: the published folder, and interrupted evaluations. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EmacError } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { rlTiny } from '@emac/tiny-models';
import { lockRun } from '@emac/runs';
import { isLong } from '@emac/testing';
import { datasetStatistics, writeStatistics } from '@emac/vla';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dataIn } from '@emac/pages/whole-page';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { copiedAt, runKilledAt } from '../../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
const model = join(folder, 'model');
const asked = ['eval', '--env', 'tabletop/spatial/3', '--ckpt', 'untouched', '--policy', model];
const published = [...asked, '--layout', 'published'];

beforeAll(() => {
  cpSync(rlTiny, model, { recursive: true });
  const actions = Array.from({ length: 11 }, (_, row) => [row / 5 - 1, row / 5 - 1, 0, 0, 0, 0, row % 2]);
  const statistics = datasetStatistics([{ actions }]);
  writeFileSync(join(model, 'dataset_statistics.json'), writeStatistics({ 'tabletop/spatial': statistics }));
});
afterEach(() => onFailpoint(null));

/** Everything except dates. */
function contentOf(place: string): Map<string, string> {
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(json|gif|txt)$/.test(name) && name !== 'command.txt',
  );
  // the log has the folder's name, with the date and time in it
  const timeless = (name: string) => name.replace(/-\d{8}-\d{6}\.txt$/, '.txt');
  return new Map(names.sort().map((name) => [timeless(name), readFileSync(join(place, name), 'base64')]));
}

/** The names of the records of episodes in an evaluation's folder. */
function recordsIn(evaluation: string): string[] {
  return readdirSync(join(evaluation, 'rollouts')).filter((name) => name.endsWith('.json'));
}

/** The initial states of its episodes, in order. */
function statesIn(evaluation: string): number[] {
  return recordsIn(evaluation)
    .map(
      (each) => (JSON.parse(readFileSync(join(evaluation, 'rollouts', each), 'utf8')) as { id: string }).id,
    )
    .map((id) => Number(/^tabletop\/spatial\/3\/(\d+)$/.exec(id)?.[1]))
    .sort((one, other) => one - other);
}

/** Fails once so many episodes are on disk. */
async function interrupted(argv: readonly string[], episodes: number): Promise<number> {
  // the first line of the journal is its header
  let left = episodes + 1;
  onFailpoint((name) => {
    if (name === 'appended' && --left < 0) throw new EmacError('io', 'the disk is gone');
  });
  const { status } = await emac(argv);
  onFailpoint(null);
  return status;
}

describe('emac eval --env tabletop/… --layout published', () => {
  // the first two of three episodes have films
  const three = [...published, '--num-episodes', '3', '--gif', '2', '--note', 'try'];
  const copies = join(folder, 'killed');
  let whole = '';
  let printed = '';
  beforeAll(async () => {
    const out = join(folder, 'whole');
    const work = () => emac([...three, '--out', out]);
    const { status, stdout } = await copiedAt(['result-named:1'], { out, copies, work });
    expect(status).toBe(0);
    printed = stdout;
    whole = join(out, readdirSync(out)[0]!);
  });

  it('writes the folder with its log and a record of each episode', () => {
    const name = basename(whole);
    expect(printed).toContain('0 % (0 of 3)');
    // Wilson of 0 in 3: z² / (3 + z²)
    expect(printed).toMatch(/│ +0 % to 56 %/);
    expect(name).toMatch(/^EVAL-tabletop_spatial_3-model-t-0\.0-s-0--try-\d{8}-\d{6}$/);
    expect(readdirSync(whole).sort()).toEqual(
      [`${name}.txt`, 'command.txt', 'eval.json', 'report.html', 'rollouts'].sort(),
    );
    expect(readFileSync(join(whole, `${name}.txt`), 'utf8')).toBe(
      'Episodes completed: 3\nSuccess rate: 0.00%\nsuccess_rate/total: 0.0\nnum_episodes/total: 3\nsuccess_rate/task_3: 0.0\n',
    );
    expect(statesIn(whole)).toEqual([40, 41, 42]);
    const { by_type: tasks } = JSON.parse(readFileSync(join(whole, 'eval.json'), 'utf8')) as {
      by_type: Record<string, { success_ci95: number[] }>;
    };
    expect(Object.values(tasks)[0]!.success_ci95).toEqual([0, expect.closeTo(0.5615, 4)]);
    expect(dataIn(readFileSync(join(whole, 'report.html'), 'utf8'))).toMatchObject({
      run: { evaluations: [{ result: { by_type: tasks } }] },
    });
  });

  it.runIf(isLong)('plays each held-out state unless told otherwise', async () => {
    const out = join(folder, 'all');
    expect((await emac([...published, '--out', out])).status).toBe(0);
    expect(statesIn(join(out, readdirSync(out)[0]!))).toEqual([40, 41, 42, 43, 44, 45, 46, 47, 48, 49]);
  });

  it('writes as many films as requested', () => {
    expect(readdirSync(join(whole, 'rollouts')).filter((each) => each.endsWith('.gif'))).toHaveLength(2);
  });

  it('resumes in the same folder to the same records and films', async () => {
    const out = join(folder, 'stopped');
    const argv = [...three, '--out', out];
    expect(await interrupted(argv, 1)).toBe(74);
    const [part] = readdirSync(out);
    expect(part).toMatch(/\.part$/);
    // the second has its record but no line in the journal; the third, played beside it, may have its record too
    expect(recordsIn(join(out, part!)).length).toBeGreaterThan(1);
    // another evaluation is another folder
    expect((await emac([...published, '--num-episodes', '1', '--out', out])).status).toBe(0);
    expect(existsSync(join(out, part!))).toBe(true);
    expect((await emac(argv)).status).toBe(0);
    expect(readdirSync(out)).toHaveLength(2);
    expect(readdirSync(out)).toContain(part!.replace('.part', ''));
    const stopped = join(out, part!.replace('.part', ''));
    expect(contentOf(stopped)).toEqual(contentOf(whole));
    // both commands
    expect(readFileSync(join(stopped, 'command.txt'), 'utf8').match(/^emac eval/gm)).toHaveLength(2);
  });

  it('replays nothing after a kill behind the folder’s renaming', async () => {
    const named = runKilledAt('result-named:1', copies);
    const journal = join(named, 'eval.json.part.jsonl');
    const before = readFileSync(journal, 'utf8');
    let played = 0;
    onFailpoint((name) => {
      if (name === 'appended') played++;
    });
    expect((await emac([...three, '--out', join(named, '..')])).status).toBe(0);
    expect([before.split('\n').length - 1, played]).toEqual([1 + 3, 0]);
    expect(readdirSync(join(named, '..'))).toHaveLength(1);
    expect(contentOf(named)).toEqual(contentOf(whole));
    expect(existsSync(journal)).toBe(false);
  });

  it.each([
    [[...asked, '--note', 'x'], '--note: belongs to --layout published'],
    [[...published, '--out', 'none'], '--layout: is written into the folder of an evaluation'],
    [[...published, '--note', 'a/b'], '--note: is part of a folder name'],
    [
      ['eval', '--env', 'gym_cards/NumberLine', '--ckpt', 'untouched', '--layout', 'published'],
      'is for tabletop/',
    ],
    [['eval', '--ckpt', 'emma-tiny', '--layout', 'published'], '--layout: belongs to --env'],
  ])('rejects %j', async (argv, message) => {
    const out = join(folder, 'refused');
    const given = argv.includes('--out') ? argv : [...argv, '--out', out];
    const { status, stderr } = await emac(given);
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)]);
    expect(existsSync(out)).toBe(false);
  });
});

describe('emac eval --env --out', () => {
  it('resumes after an interruption, and allows one process at a time', async () => {
    const [out, other] = [join(folder, 'plain'), join(folder, 'undisturbed')];
    const two = [...asked, '--num-episodes', '2'];
    expect((await emac([...two, '--out', other])).status).toBe(0);
    expect(await interrupted([...two, '--out', out], 1)).toBe(74);
    // the resumed evaluation takes the journal's result and does not replay the episode
    const told = join(folder, 'told');
    cpSync(`${out}.part`, `${told}.part`, { recursive: true });
    const journal = join(`${told}.part`, 'eval.json.part.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"won":false', '"won":true'));
    const believed = await emac([...two, '--out', told]);
    expect(believed.stdout).toContain('50 % (1 of 2)');
    const lock = lockRun(`${out}.part`, 'evaluation');
    const refused = await emac([...two, '--out', out]);
    lock.release();
    expect([refused.status, refused.stderr]).toEqual([73, expect.stringContaining('evaluation')]);
    expect((await emac([...two, '--out', out])).status).toBe(0);
    expect(contentOf(out)).toEqual(contentOf(other));
    expect(readdirSync(out).sort()).toEqual(['command.txt', 'eval.json', 'report.html']);
  });
});
