/** Datasets from play, training on them, resuming, and answers compared with their outputs. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { modelFolder } from '@emac/emma-tiny';
import { onFailpoint, type Failpoint } from '@emac/files';
import { encodePng } from '@emac/images';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dataIn } from '@emac/pages/whole-page';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const dataset = join(folder, 'bc', 'train.json');
const pairs = join(folder, 'dpo', 'train.json');
const play = ['collect', '--num-games', '2', '--max-steps', '4', '--beams', '1'];
const small = '--epochs 2 --batch-size 2 --accumulate 2 --beams 1 --eval-games 0'.split(' ');

interface Sample {
  readonly image: string;
  readonly text_input: string;
  readonly text_output: string;
  readonly text_output_neg?: string;
  readonly task_type?: string;
  readonly game_id?: string;
}

const samplesIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Sample[];
const only = (out: string) =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );
const metricsOf = (run: string) =>
  readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number | string>);

/** All files and fields without dates, by name. */
function contentOf(run: string): Map<string, string> {
  const ofTheDay = ['run.json', 'events.jsonl', 'config.yaml', 'world.log', 'command.txt', 'report.html'];
  const names = readdirSync(run, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !ofTheDay.includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(run.length + 1));
  return new Map(names.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

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

afterEach(() => onFailpoint(null));

beforeAll(async () => {
  for (const [phase, path] of [
    ['bc', dataset],
    ['dpo', pairs],
  ] as const)
    expect(await emac([...play, '--phase', phase, '--out', join(path, '..')])).toMatchObject({ status: 0 });
});

describe('emac collect', () => {
  it('writes the expert’s label at every state, with its picture', () => {
    const samples = samplesIn(dataset);
    // two games of four steps each: the expert acts, and needs more than four
    expect(samples).toHaveLength(8);
    samples.forEach((sample, place) => {
      const next = samples[place + 1];
      if (next?.game_id === sample.game_id)
        expect(next?.text_input.startsWith(`${sample.text_input} ${sample.text_output}\n`)).toBe(true);
      expect(sample.text_input.endsWith('\n>')).toBe(true);
      expect(sample.game_id!.startsWith(sample.task_type!)).toBe(true);
      expect(existsSync(join(folder, 'bc', sample.image))).toBe(true);
    });
    expect(readdirSync(join(folder, 'bc')).sort()).toEqual(['images', 'train.json']);
  });

  it('keeps for dpo the states where the student disagrees', () => {
    const samples = samplesIn(pairs);
    expect(samples.length).toBeGreaterThan(0);
    for (const { text_output, text_output_neg } of samples) {
      expect(text_output_neg).toBeTruthy();
      expect(text_output_neg).not.toBe(text_output);
    }
  });

  it('resumes after a stop to the same bytes, and rejects other settings and a finished folder', async () => {
    const out = join(folder, 'stopped');
    // one game at a time, to stop between them; the other dataset was collected with both in parallel
    const argv = [...play, '--out', out, '--parallel-episodes', '1', '--verbose'];
    const interruption = new AbortController();
    const onStderr = (text: string) => {
      if (/won in|not won/.test(text)) interruption.abort();
    };
    expect(await emac(argv, { interruption, onStderr })).toMatchObject({ status: 75 });
    expect(existsSync(out)).toBe(false);
    expect(await emac([...argv, '--seed', '1'])).toMatchObject({ status: 64 });
    // as a kill may leave it
    writeFileSync(join(`${out}.part`, 'train.json.part'), '{"torn', { flag: 'a' });
    expect(await emac(argv)).toMatchObject({ status: 0 });
    expect(readFileSync(join(out, 'train.json'), 'utf8')).toBe(readFileSync(dataset, 'utf8'));
    expect(await emac(argv)).toMatchObject({ status: 73 });
  });
});

describe('emac train --data', () => {
  it('has no episodes: --parallel-episodes applies to its evaluations', async () => {
    const out = join(folder, 'evaluated');
    const given = '--phase bc --epochs 1 --eval-games 2 --max-steps 2 --beams 1 --parallel-episodes 2'.split(
      ' ',
    );
    const argv = ['train', ...given, '--data', dataset, '--out', out];
    const { status, stdout } = await emac(argv);
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('on 2 held-out games of builtin:valid_unseen'),
    ]);
  });

  const argv = ['train', '--phase', 'bc', '--data', dataset, '--val', dataset, ...small];
  const preferences = ['train', '--phase', 'dpo', '--ref', 'emma-tiny', '--data', pairs, ...small];
  const every = ['--checkpoint-every', '1'];

  it('uses every sample once an epoch, the last minibatch included, and validates before and after each', async () => {
    const out = join(folder, 'whole');
    const three = join(folder, 'three.json');
    writeFileSync(three, JSON.stringify(samplesIn(dataset).slice(0, 5)));
    const { status, stdout } = await emac([
      ...['train', '--phase', 'bc', '--data', three, '--val', dataset, '--images', join(folder, 'bc')],
      // steps so small lower the loss of any weights
      ...[...small, '--lr', '1e-4', '--out', out],
    ]);
    expect(status).toBe(0);
    expect(stdout).toContain('npx emac train --phase dpo --ref');
    const metrics = metricsOf(only(out));
    // five samples in updates of 2 × 2: four, then one
    expect(metrics.map(({ kind, round, samples }) => `${kind} ${round} ${samples}`)).toEqual([
      'probe 0 8',
      'update 0 4',
      'update 0 1',
      'probe 0 8',
      'round 0 5',
      'update 1 4',
      'update 1 1',
      'probe 1 8',
      'round 1 5',
    ]);
    // Σ loss · samples / samples
    const [, first, second, , round] = metrics as Record<string, number>[];
    expect(round!['loss']).toBeCloseTo((first!['loss']! * 4 + second!['loss']!) / 5, 12);
    // linear: 3 micro-steps an epoch, 6 in all; updates end in micro-steps 1, 2, 4, 5 (from 0)
    const rates = metrics.filter(({ kind }) => kind === 'update').map(({ lr }) => Number(lr) / 1e-4);
    [5, 4, 2, 1].forEach((sixths, place) => expect(rates[place]).toBeCloseTo(sixths / 6, 12));
    const losses = metrics.filter(({ kind }) => kind === 'probe').map(({ loss }) => Number(loss));
    expect(losses.at(-1)).toBeLessThan(losses[0]!);
    const manifest = JSON.parse(
      readFileSync(join(resolveCheckpoint(only(out)).folder, 'MANIFEST.json'), 'utf8'),
    ) as { games: string[] };
    expect(manifest.games).toEqual([...new Set(samplesIn(three).map(({ game_id }) => game_id))].sort());
    // the best is the epoch of the lowest validation loss: checkpoints of 0, 2 and 4 updates
    const best = losses.indexOf(Math.min(...losses)) * 2;
    expect(resolveCheckpoint(`${only(out)}@best`).folder).toMatch(new RegExp(`0000000${best}$`));
  });

  it.each([
    ['bc', argv, 3],
    ['dpo', preferences, 1],
  ] as const)('resumes with %s to the bytes of an uninterrupted run', async (phase, command, count) => {
    const whole = join(folder, `${phase}-undisturbed`);
    expect(await emac([...command, ...every, '--out', whole])).toMatchObject({ status: 0 });
    const out = join(folder, `${phase}-stopped`);
    expect((await stoppedAt('updating', count, [...command, ...every, '--out', out])).status).toBe(75);
    expect(contentOf(only(out))).not.toEqual(contentOf(only(whole)));
    const { status, stdout } = await emac(['train', '--resume', only(out)]);
    expect([status, stdout.includes('since it was resumed')]).toEqual([0, true]);
    expect(contentOf(only(out))).toEqual(contentOf(only(whole)));
  });

  it('saves the updates since the last checkpoint at a stop, without changing the result', async () => {
    const whole = join(folder, 'bc-rarely');
    expect(await emac([...argv, '--out', whole])).toMatchObject({ status: 0 });
    const out = join(folder, 'bc-extra');
    await stoppedAt('updating', 1, [...argv, '--out', out]);
    const { state } = loadCheckpoint(resolveCheckpoint(only(out)).folder);
    expect(state['training']).toMatchObject({ kind: 'offline', updates: 1, taken: 4, epoch: 0 });
    expect(await emac(['train', '--resume', only(out)])).toMatchObject({ status: 0 });
    expect(contentOf(only(out))).toEqual(contentOf(only(whole)));
  });

  it('starts dpo at zero reward and encodes each picture once', async () => {
    const run = only(join(folder, 'dpo-undisturbed'));
    const [first] = metricsOf(run);
    expect(first!['kind']).toBe('update');
    for (const name of ['w_reward', 'l_reward']) expect(first![name]).toBeCloseTo(0, 6);
    const count = new Set(samplesIn(pairs).map(({ image }) => image)).size;
    const features = readFileSync(join(run, 'buffers', 'features.bin')).byteLength;
    const config = JSON.parse(readFileSync(join(modelFolder, 'config.json'), 'utf8')) as {
      num_query_tokens: number;
      qformer_config: { hidden_size: number };
    };
    // two hashes of 32 bytes, and float16 values
    const values = config.num_query_tokens * config.qformer_config.hidden_size;
    expect(features).toBe(count * (64 + 2 * values));
    // 12 bytes for each pair, however many epochs
    expect(readFileSync(join(run, 'buffers', 'judgements.bin')).byteLength).toBe(
      12 * samplesIn(pairs).length,
    );
  });

  it('rejects another dataset at resume', async () => {
    const out = join(folder, 'other');
    const changed = join(folder, 'changed');
    cpSync(join(folder, 'bc'), changed, { recursive: true });
    const path = join(changed, 'train.json');
    const begun = ['train', '--phase', 'bc', '--data', path, ...small, ...every, '--out', out];
    expect((await stoppedAt('updating', 1, begun)).status).toBe(75);
    writeFileSync(path, JSON.stringify(samplesIn(path).slice(1)));
    const { status, stderr } = await emac(['train', '--resume', only(out), '--allow-drift']);
    expect([status, stderr.includes('needs the same content')]).toEqual([65, true]);
  });
});

describe('an invalid dataset', () => {
  const place = join(folder, 'broken');
  const sample = { image: 'a.png', text_input: 'x\n>', text_output: 'look' };
  const write = (text: string) => {
    writeFileSync(join(place, 'data.json'), text);
    return join(place, 'data.json');
  };

  beforeAll(async () => {
    mkdirSync(place);
    writeFileSync(join(place, 'a.png'), await encodePng({ width: 2, height: 2, data: new Uint8Array(12) }));
    writeFileSync(join(folder, 'outside.png'), 'x');
    symlinkSync(join(folder, 'outside.png'), join(place, 'link.png'));
    writeFileSync(join(place, 'text.png'), 'no picture');
  });

  it.each([
    [65, '', 'cut short'],
    [65, '{}', 'must have one of the forms'],
    [65, '3', 'list expected'],
    [65, '[', 'cut short'],
    [65, '[]', 'no record'],
    [65, `[${JSON.stringify(sample)}`, 'cut short'],
    [65, `[${JSON.stringify(sample)},]`, 'after 1 records'],
    [65, `[${JSON.stringify(sample)}] x`, 'byte'],
    [65, '[3]', 'byte 1'],
    [65, `[${JSON.stringify(sample)},{"image": tru}]`, 'record 1 is not JSON'],
    [65, JSON.stringify([sample, { ...sample, text_output: 3 }]), 'record 1: text_output'],
    [65, JSON.stringify([{ ...sample, text_output: ' ' }]), 'record 0: text_output'],
    [65, JSON.stringify([{ image: 'a.png', text_output: 'look' }]), 'record 0: text_input'],
    [65, JSON.stringify([{ text_input: 'x\n>', text_output: 'look' }]), 'record 0: image: is missing'],
    [65, JSON.stringify([{ ...sample, image: '../outside.png' }]), 'record 0: image'],
    [65, JSON.stringify([{ ...sample, image: '/etc/passwd' }]), 'record 0: image'],
    [65, JSON.stringify([{ ...sample, image: 'link.png' }]), 'record 0: image'],
    [65, JSON.stringify([{ ...sample, image: '.' }]), 'record 0: image: "." must be a file'],
    [66, JSON.stringify([sample, { ...sample, image: 'b.png' }]), 'record 1: image'],
  ])('ends with %i for %s', async (status, text, said) => {
    const out = join(folder, 'never');
    const result = await emac(['train', '--phase', 'bc', '--data', write(text), ...small, '--out', out]);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(said)]);
    expect(existsSync(out)).toBe(false);
  });

  it('names the record of an unreadable picture', async () => {
    const path = write(JSON.stringify([sample, { ...sample, image: 'text.png' }]));
    const { status, stderr } = await emac(['eval', '--ckpt', 'emma-tiny', '--data', path]);
    expect([status, stderr]).toEqual([65, expect.stringContaining('record 1: image text.png')]);
  });

  it('needs the worse output for dpo, and skips pairs of equal outputs', async () => {
    const train = ['train', '--phase', 'dpo', '--ref', 'emma-tiny', ...small, '--epochs', '1'];
    const out = ['--out', join(folder, 'pairs')];
    const lacking = await emac([...train.slice(0, -2), '--data', write(JSON.stringify([sample])), ...out]);
    expect([lacking.status, lacking.stderr]).toEqual([65, expect.stringContaining('text_output_neg')]);
    const both = [
      { ...sample, text_output_neg: 'look' },
      { ...sample, text_output_neg: 'inventory' },
    ];
    const data = write(JSON.stringify(both));
    const { status, stderr } = await emac([...train.slice(0, -2), '--data', data, ...out]);
    expect([status, stderr]).toEqual([0, expect.stringContaining('skipped, as both outputs are equal: 1')]);
  });

  it.each([
    [['train', '--phase', 'bc', '--val', 'x'], '--val'],
    [['train', '--phase', 'bc', '--images', 'x'], '--images'],
    [['train', '--phase', 'bc', '--data', dataset, '--rounds', '2'], '--rounds'],
    [['train', '--phase', 'bc', '--data', dataset, '--expert', 'planner'], '--expert'],
    [['train', '--phase', 'bc', '--act-with', 'student', '--expert-decay', '0.5'], '--act-with mixture'],
    [['train', '--phase', 'bc', '--act-with', 'mixture', '--expert-probability', '1.5'], 'from 0 to 1'],
    [['eval', '--ckpt', 'emma-tiny', '--images', 'x'], '--images'],
    [['eval', '--ckpt', 'emma-tiny', '--data', dataset, '--num-games', '2'], '--num-games'],
    [['eval', '--ckpt', 'emma-tiny', '--data', dataset, '--admissible-only'], '--admissible-only'],
  ])('ends with 64 for %j', async (argv, said) => {
    const { status, stderr } = await emac(argv);
    expect([status, stderr]).toEqual([64, expect.stringContaining(said)]);
  });
});

describe('a dataset of texts', () => {
  const sample = { text_input: 'x\n>', text_output: 'look' };

  it.each([
    ['absent', { ...sample, image: 'b.png' }],
    ['null', { ...sample, image: null }],
    ['not named', sample],
  ])('needs no pictures with --observe text: %s', async (kind, record) => {
    const place = join(folder, `texts, ${kind}`);
    mkdirSync(place);
    const [data, out] = [join(place, 'data.json'), join(place, 'runs')];
    writeFileSync(data, JSON.stringify([record, record]));
    const train = ['train', '--phase', 'bc', '--data', data, '--observe', 'text', ...small, '--out', out];
    expect((await emac(train)).status).toBe(0);
    const { status, stdout } = await emac(['eval', '--ckpt', only(out), '--data', data, '--json']);
    expect([status, (JSON.parse(stdout) as { samples: number }).samples]).toEqual([0, 2]);
  });
});

describe('emac eval --data', () => {
  it('measures answers by task type and overall', async () => {
    const out = join(folder, 'answers.json');
    const argv = ['eval', '--ckpt', 'emma-tiny', '--data', dataset, '--beams', '1', '--json', '--out', out];
    const { status, stdout } = await emac(argv);
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as {
      samples: number;
      exact_match: number;
      by_task_type: Record<string, { samples: number; exact_match: number }>;
      loss: number;
    };
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(result);
    const types = Object.entries(result.by_task_type);
    expect(types.map(([type]) => type)).toEqual([
      ...new Set(samplesIn(dataset).map(({ task_type }) => task_type)),
    ]);
    const matches = types.map(([, { samples, exact_match }]) => samples * exact_match);
    expect(matches.reduce((sum, each) => sum + each, 0)).toBeCloseTo(8 * result.exact_match, 9);
    // the same numbers as the probe of training
    const [before] = metricsOf(only(join(folder, 'bc-undisturbed')));
    expect(result.loss).toBeCloseTo(Number(before!['loss']), 5);
    rmSync(out);
  });

  it('takes the folder of a dataset, and writes one with the command and a report', async () => {
    const out = join(folder, 'answered');
    const argv = [
      'eval',
      '--ckpt',
      'emma-tiny',
      '--data',
      join(folder, 'bc'),
      '--beams',
      '1',
      '--out',
      `${out}/`,
    ];
    const { status, stdout } = await emac(argv);
    expect(status).toBe(0);
    expect(stdout).toContain(`report: ${join(out, 'report.html')}\n`);
    expect(readdirSync(out).sort()).toEqual(['command.txt', 'eval.json', 'report.html']);
    const page = readFileSync(join(out, 'report.html'), 'utf8');
    expect(page).toContain('Answers to 8 prompts of the dataset');
    const { loss } = JSON.parse(readFileSync(join(out, 'eval.json'), 'utf8')) as { loss: number };
    expect(dataIn(page)).toMatchObject({ kind: 'run', run: { answers: { samples: 8, loss } } });
    rmSync(out, { recursive: true });
  });
});
