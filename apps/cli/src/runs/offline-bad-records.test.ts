/** Dataset records that cannot be used: too long for the model, or with an unreadable picture. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTokenizer } from '@emac/backbone';
import { modelFolder } from '@emac/emma-tiny';
import { onFailpoint } from '@emac/files';
import { encodePng } from '@emac/images';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { alsoLong } from '@emac/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small = '--epochs 2 --batch-size 2 --accumulate 2 --beams 1 --eval-games 0'.split(' ');
const opening =
  'You see a desk 1, a shelf 1, a sofa 1, and a drawer 1.\nYour task is to: put a book in desk, quietly.';
const outputs = [
  'look',
  'go to desk 1',
  'open drawer 1',
  'inventory',
  'go to drawer 1',
  'close drawer 1',
  'examine desk 1',
];

interface Sample {
  readonly image: string;
  readonly text_input: string;
  readonly text_output: string;
  readonly text_output_neg: string;
}

/** A different picture for every sample. */
const samples = outputs.map((text_output, place): Sample => ({
  image: `${place}.png`,
  text_input: `${opening}\n> look\nnothing ${place}\n>`,
  text_output,
  text_output_neg: outputs[(place + 1) % outputs.length]!,
}));

async function picture(place: number): Promise<Uint8Array> {
  const data = Uint8Array.from({ length: 3 * 8 * 8 }, (_, index) => (37 * place + 11 * index) % 256);
  return encodePng({ width: 8, height: 8, data });
}

/** A folder with pictures and a dataset; the pictures in `bad` are text files. */
async function datasetOf(
  name: string,
  list: readonly Sample[],
  bad: readonly number[] = [],
): Promise<string> {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  for (const index of samples.keys())
    writeFileSync(join(place, `${index}.png`), bad.includes(index) ? 'no picture' : await picture(index));
  writeFileSync(join(place, 'train.json'), JSON.stringify(list));
  return join(place, 'train.json');
}

const only = (out: string) =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );
const train = (path: string, out: string, more: readonly string[] = []) => [
  ...['train', '--phase', 'bc', '--data', path, ...small, '--checkpoint-every', '1'],
  ...['--out', join(folder, out), ...more],
];

const linesOf = (run: string, name: string) =>
  readFileSync(join(run, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** All files and fields without dates, by name. */
function contentOf(run: string): Map<string, string> {
  const ofTheDay = ['run.json', 'events.jsonl', 'config.yaml', 'world.log', 'command.txt', 'report.html'];
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !ofTheDay.includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1));
  return new Map(names.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

/** Runs until so many updates are made. */
async function stoppedAfter(updates: number, argv: readonly string[]) {
  const interruption = new AbortController();
  let left = updates;
  onFailpoint((passed) => {
    if (passed === 'updating' && --left === 0) interruption.abort();
  });
  const result = await emac(argv, { interruption });
  onFailpoint(null);
  return result;
}

afterEach(() => onFailpoint(null));

describe('a record that is too long', () => {
  const tokenizer = loadTokenizer(join(modelFolder, 'tokenizer.json'));
  // tokens of an output after the prompt's open `>`, and the end token
  const tokensOf = (output: string) =>
    tokenizer.encode(`\n> ${output}`).length - tokenizer.encode('\n>').length + 1;
  const promptTokens = (text: string) => 1 + tokenizer.encode(text).length;
  const long = 'put all the books in the drawer and then '.repeat(8);
  const wordy = (place: number): Sample => ({ ...samples[place]!, text_input: `${opening} ${long}\n>` });
  const limit = promptTokens(`${opening}\n>`);

  it('is rejected by its number before a run folder is made', async () => {
    const path = await datasetOf('wordy', [samples[0]!, samples[1]!, wordy(2)]);
    const { status, stderr } = await emac(train(path, 'wordy-run', ['--max-prompt-tokens', String(limit)]));
    expect([status, stderr]).toEqual([65, expect.stringContaining(`${path}: record 2: text_input:`)]);
    const tokens = promptTokens(`${opening} ${long}\n>`);
    expect(stderr).toContain(
      `at most ${limit} tokens (--max-prompt-tokens), has ${tokens} without any of its steps`,
    );
    expect(stderr).toContain('--skip-bad-records');
    expect(existsSync(join(folder, 'wordy-run'))).toBe(false);
  });

  it('is accepted if dropping steps is enough', async () => {
    const steps = '\n> go to desk 1\nYou see a book 1.'.repeat(30);
    const list = [samples[0]!, { ...samples[1]!, text_input: `${opening}${steps}\n>` }];
    const path = await datasetOf('many-steps', list);
    const argv = train(path, 'many-steps-run', ['--max-prompt-tokens', String(limit)]);
    expect(await emac(argv)).toMatchObject({ status: 0 });
  });

  it('includes an output that would be cut: the worse one, in --val, or in an evaluation', async () => {
    const said = 'put book 1 in desk 1 and book 2 in drawer 1';
    const path = await datasetOf('cut', [samples[0]!, { ...samples[1]!, text_output: said }]);
    const worse = await datasetOf('cut-worse', [samples[0]!, { ...samples[1]!, text_output_neg: said }]);
    const fine = await datasetOf('fine', samples);
    const most = (tokens: number) => ['--max-new-tokens', String(tokens)];
    const short = most(tokensOf(said) - 1);
    const field = (name: string) =>
      `record 1: ${name}: must have at most ${tokensOf(said) - 1} tokens (--max-new-tokens), has ${tokensOf(said)} with`;
    const preferring = ['train', '--phase', 'dpo', '--ref', 'emma-tiny', '--data', worse, ...small, ...short];
    for (const [argv, words] of [
      [train(path, 'never', short), `${path}: ${field('text_output')}`],
      [train(fine, 'never', [...short, '--val', path]), `${path}: ${field('text_output')}`],
      [[...preferring, '--out', join(folder, 'never')], `${worse}: ${field('text_output_neg')}`],
      [['eval', '--ckpt', 'emma-tiny', '--data', path, ...short], `${path}: ${field('text_output')}`],
    ] as const) {
      const { status, stderr } = await emac(argv);
      expect([status, stderr]).toEqual([65, expect.stringContaining(words)]);
    }
    expect(existsSync(join(folder, 'never'))).toBe(false);
    // imitation ignores worse outputs; an output of exactly this length is not cut
    expect(await emac(train(worse, 'imitated', short))).toMatchObject({ status: 0 });
    expect(await emac(train(path, 'just', most(tokensOf(said))))).toMatchObject({ status: 0 });
  });

  it('is skipped and named with --skip-bad-records, to the bytes of a dataset without it', async () => {
    const path = await datasetOf('skipped', [wordy(0), ...samples.slice(1, 4), wordy(4), samples[5]!]);
    const without = await datasetOf('lacking', [...samples.slice(1, 4), samples[5]!]);
    const limits = [
      '--max-prompt-tokens',
      String(promptTokens(samples[1]!.text_input)),
      '--skip-bad-records',
    ];
    const { status, stdout, stderr } = await emac(train(path, 'skipped-run', limits));
    const sentence = 'skipped in --data: 2 of 6 records (0, 4); see events.jsonl for the reasons';
    expect([status, stdout, stderr]).toEqual([
      0,
      expect.stringContaining(sentence),
      expect.stringContaining(sentence),
    ]);
    expect(await emac(train(without, 'lacking-run', limits))).toMatchObject({ status: 0 });
    const [run, other] = [only(join(folder, 'skipped-run')), only(join(folder, 'lacking-run'))];
    expect(contentOf(run)).toEqual(contentOf(other));
    const events = linesOf(run, 'events.jsonl').filter(({ kind }) => kind === 'left-out');
    expect(events.map(({ set, record }) => [set, record])).toEqual([
      ['data', 0],
      ['data', 4],
    ]);
    expect(events[0]!['reason']).toContain('text_input: must have');
  });

  it('ends with 65 if there is no other', async () => {
    const path = await datasetOf('all-wordy', [wordy(0), wordy(1)]);
    const limits = ['--max-prompt-tokens', String(limit), '--skip-bad-records'];
    const { status, stderr } = await emac(train(path, 'all-wordy-run', limits));
    expect([status, stderr]).toEqual([65, expect.stringContaining('every record is too long')]);
    expect(existsSync(join(folder, 'all-wordy-run'))).toBe(false);
  });
});

describe('an undecodable picture', () => {
  let good: string;
  const goodRun = () => only(join(folder, 'good-run'));

  beforeAll(async () => {
    good = await datasetOf('good', samples);
    expect(await emac(train(good, 'good-run', ['--val', good]))).toMatchObject({ status: 0 });
  });

  let place = -1;
  /** the fifth sample of the first epoch: the second update reads it */
  async function fifth(): Promise<number> {
    if (existsSync(join(folder, 'order-run'))) return place;
    // features are stored in reading order, here without a validation set
    expect(await emac(train(good, 'order-run'))).toMatchObject({ status: 0 });
    const features = readFileSync(join(only(join(folder, 'order-run')), 'buffers', 'features.bin'));
    const hashes = samples.map(({ image }) =>
      createHash('sha256')
        .update(readFileSync(join(good, '..', image)))
        .digest('hex'),
    );
    const size = features.byteLength / samples.length;
    place = hashes.indexOf(features.subarray(4 * size, 4 * size + 32).toString('hex'));
    return place;
  }

  it('is named by record and file at its first use, and the run resumes once it is repaired', async () => {
    const bad = await fifth();
    const path = await datasetOf('mended', samples, [bad]);
    const broken = await emac(train(path, 'mended-run'));
    expect(broken.status).toBe(65);
    expect(broken.stderr).toContain(`${path}: record ${bad}: image ${bad}.png: picture: must be PNG or JPEG`);
    const run = only(join(folder, 'mended-run'));
    expect(broken.stderr).toContain(
      `to resume: fix the picture, then npx emac train --resume ${run}; or, to skip such records, npx emac train --resume ${run} --skip-bad-records`,
    );
    // one update was made and saved before
    expect(loadCheckpoint(resolveCheckpoint(run).folder).state['training']).toMatchObject({ updates: 1 });
    expect(await emac(['train', '--resume', run])).toMatchObject({ status: 65 });
    writeFileSync(join(path, '..', `${bad}.png`), await picture(bad));
    expect(await emac(['train', '--resume', run])).toMatchObject({ status: 0 });
    // the checkpoint before it knows one picture less, since there was no look-ahead
    const before = (files: Map<string, string>) =>
      [...files].filter(([name]) => !name.startsWith(join('checkpoints', '00000001')));
    expect(before(contentOf(run))).toEqual(before(contentOf(only(join(folder, 'order-run')))));
  });

  it('is skipped, counted and named with --skip-bad-records, at any stop, even after a repair', async () => {
    const path = await datasetOf('some', samples, [1, 4]);
    const argv = (out: string) => train(path, out, ['--val', path, '--skip-bad-records']);
    const { status, stdout, stderr } = await emac(argv('some-run'));
    expect(status).toBe(0);
    for (const set of ['data', 'val'])
      expect(stdout).toContain(
        `skipped in --${set}: 2 of 7 records (1, 4); see events.jsonl for the reasons`,
      );
    expect(stderr).toContain(`skipped: ${path}: record 4: image 4.png: picture: must be PNG or JPEG`);
    const run = only(join(folder, 'some-run'));
    const metrics = linesOf(run, 'metrics.jsonl').map(({ kind, round, samples: used }) => [
      kind,
      round,
      used,
    ]);
    // five of seven in updates of 2 × 2: four, then one
    expect(metrics).toEqual([
      ['probe', 0, 5],
      ...[0, 1].flatMap((round) => [
        ['update', round, 4],
        ['update', round, 1],
        ['probe', round, 5],
        ['round', round, 5],
      ]),
    ]);
    const events = linesOf(run, 'events.jsonl').filter(({ kind }) => kind === 'left-out');
    expect(events).toHaveLength(4);
    expect(events[0]).toMatchObject({ set: 'val', record: 1 });
    expect(events[0]!['reason']).toContain('image 1.png: picture:');
    for (const updates of [2, ...alsoLong([1, 3])]) {
      const out = `some-stopped-${updates}`;
      for (const index of [1, 4]) writeFileSync(join(path, '..', `${index}.png`), 'no picture');
      expect((await stoppedAfter(updates, argv(out))).status).toBe(75);
      const stopped = only(join(folder, out));
      for (const index of [1, 4]) writeFileSync(join(path, '..', `${index}.png`), await picture(index));
      const resumed = await emac(['train', '--resume', stopped]);
      expect([resumed.status, resumed.stdout]).toEqual([
        0,
        expect.stringContaining('skipped in --data: 2 of 7 records (1, 4);'),
      ]);
      expect(contentOf(stopped)).toEqual(contentOf(run));
    }
  });

  it('can be skipped by the run it stopped, with the flag once', async () => {
    const bad = await fifth();
    const path = await datasetOf('given-later', samples, [bad]);
    expect(await emac(train(path, 'flag-whole', ['--skip-bad-records']))).toMatchObject({ status: 0 });
    expect(await emac(train(path, 'flag-later'))).toMatchObject({ status: 65 });
    const run = only(join(folder, 'flag-later'));
    const later = await stoppedAfter(1, ['train', '--resume', run, '--skip-bad-records']);
    expect([later.status, later.stderr]).toEqual([75, expect.stringContaining('skipped: ')]);
    expect(await emac(['train', '--resume', run])).toMatchObject({ status: 0 });
    const whole = only(join(folder, 'flag-whole'));
    const [files, others] = [contentOf(run), contentOf(whole)];
    for (const name of [join('buffers', 'left-out.jsonl'), join('buffers', 'features.bin')])
      expect([files.get(name), files.has(name)]).toEqual([others.get(name), true]);
    // The same samples in the same updates. Learning rates differ: with the flag from the beginning, the schedule skips the bad record from its first step.
    const counts = (place: string) =>
      linesOf(place, 'metrics.jsonl').map(({ kind, round, samples }) => [kind, round, samples]);
    expect(counts(run)).toEqual(counts(whole));
  });

  it('is skipped in dpo too, and the reference scores the others once', async () => {
    const path = await datasetOf('pairs', samples, [2]);
    const dpo = ['train', '--phase', 'dpo', '--ref', 'emma-tiny', '--data', path, ...small];
    const argv = (out: string) => [...dpo, '--skip-bad-records', '--out', join(folder, out)];
    expect(await emac(argv('pairs-whole'))).toMatchObject({ status: 0 });
    const whole = only(join(folder, 'pairs-whole'));
    // 12 bytes for each of six pairs, however many epochs
    expect(readFileSync(join(whole, 'buffers', 'judgements.bin')).byteLength).toBe(12 * 6);
    expect((await stoppedAfter(1, argv('pairs-stopped'))).status).toBe(75);
    const run = only(join(folder, 'pairs-stopped'));
    expect(await emac(['train', '--resume', run])).toMatchObject({ status: 0 });
    expect(contentOf(run)).toEqual(contentOf(whole));
  });

  it('is named too if its file disappears after the check', async () => {
    const path = await datasetOf('gone', samples);
    const onStderr = (text: string) => {
      if (text.startsWith('training')) rmSync(join(path, '..', '3.png'), { force: true });
    };
    const { status, stderr } = await emac(train(path, 'gone-run'), { onStderr });
    expect([status, stderr]).toEqual([
      66,
      expect.stringContaining(`${path}: record 3: image: "3.png" does not exist`),
    ]);
  });

  it('--skip-bad-records changes no byte of a run without bad records', async () => {
    const argv = train(good, 'none-met', ['--val', good, '--skip-bad-records']);
    const { status, stdout } = await emac(argv);
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('left out')]);
    const [run, other] = [contentOf(only(join(folder, 'none-met'))), contentOf(goodRun())];
    const differing = [...run].filter(([name, bytes]) => other.get(name) !== bytes).map(([name]) => name);
    // the list exists and is empty, and checkpoints contain it
    expect(differing.filter((name) => !/left-out|state\.json|MANIFEST/.test(name))).toEqual([]);
  });

  it.each([
    ['train', '--phase', 'bc', '--skip-bad-records'],
    ['train', '--phase', 'bc', '--rounds', '1', '--skip-bad-records'],
  ])('--skip-bad-records needs --data: %s %s %s %s', async (...argv) => {
    const { status, stderr } = await emac(argv);
    expect([status, stderr]).toEqual([64, expect.stringContaining('--skip-bad-records: belongs to --data')]);
  });
});
