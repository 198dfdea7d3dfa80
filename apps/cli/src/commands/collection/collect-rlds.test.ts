/** `emac collect --rlds` and `--format rlds` from the command line: there and back, mixtures, damage, flags in conflict. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeImage } from '@emac/images';
import { rlTiny } from '@emac/tiny-models';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
// written by TensorFlow Datasets: 4 episodes of 2, 3, 4 and 2 steps, and its own reading of them
const fixtures = fileURLToPath(new URL('../../../../../packages/rlds/fixtures/', import.meta.url));
const fixture = join(fixtures, 'tabletop');
const expected = JSON.parse(readFileSync(join(fixtures, 'expected.json'), 'utf8')) as {
  readonly splits: Readonly<
    Record<
      string,
      {
        readonly steps: {
          readonly action: { readonly values: number[] };
          readonly language_instruction: string;
        }[];
      }[]
    >
  >;
};

interface Sample {
  readonly image: string;
  readonly text_input: string;
  readonly action: readonly number[];
  readonly task_type: string;
  readonly game_id: string;
}
const recordsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Sample[];
const count = 20;
const playing = ['collect', '--env', 'tabletop/spatial', '--num-samples', `${count}`, '--seed', '4'];
const drawing = [...playing, '--random-actions', '0.2', '--action-steps', '8'];

const done = async (argv: readonly string[]) => {
  const result = await emac(argv);
  expect([result.status, result.stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
  return result;
};

const written = at('written');
beforeAll(async () => {
  await done([...drawing, '--format', 'rlds', '--val-share', '0', '--out', written]);
});

describe('demonstrations in RLDS form', () => {
  it('become the same records and pictures as a direct collection', async () => {
    const [plain, back] = [at('plain'), at('back')];
    await done([...drawing, '--val-share', '0.5', '--out', plain]);
    const { stdout } = await done(['collect', '--rlds', written, '--val-share', '0.5', '--out', back]);
    expect(stdout).toContain(`${count} samples of `);
    for (const name of ['train.json', 'val.json']) {
      const [one, other] = [recordsIn(join(plain, name)), recordsIn(join(back, name))];
      expect(other.length).toBeGreaterThan(5);
      // eighths are the same in 32 bits
      const shared = ({ text_input, action }: Sample) => ({ text_input, action });
      expect(other.map(shared)).toEqual(one.map(shared));
      expect(new Set(other.map(({ task_type }) => task_type))).toEqual(new Set(['tabletop_spatial']));
      for (const [place, { image }] of other.entries()) {
        const pixels = async (path: string) => Buffer.from((await decodeImage(readFileSync(path))).data);
        const [seen, shown] = [await pixels(join(back, image)), await pixels(join(plain, one[place]!.image))];
        expect(seen.equals(shown)).toBe(true);
      }
    }
  });

  it('have no empty split without held-out episodes', async () => {
    const out = at('one-split');
    await done([
      ...drawing.map((word) => (word === `${count}` ? '5' : word)),
      '--format',
      'rlds',
      '--out',
      out,
    ]);
    const info = JSON.parse(readFileSync(join(out, '1.0.0', 'dataset_info.json'), 'utf8')) as {
      readonly splits: readonly { readonly name: string }[];
    };
    expect(info.splits.map(({ name }) => name)).toEqual(['train']);
  });

  it('hold out whole episodes as a split, with equal bytes for equal seeds', async () => {
    const outs = [at('split'), at('split-again')];
    for (const out of outs) await done([...drawing, '--format', 'rlds', '--val-share', '0.5', '--out', out]);
    const names = readdirSync(outs[0]!, { recursive: true }).map(String).sort();
    expect(names).toEqual([
      '1.0.0',
      '1.0.0/dataset_info.json',
      '1.0.0/features.json',
      '1.0.0/tabletop_spatial-train.tfrecord-00000-of-00001',
      '1.0.0/tabletop_spatial-val.tfrecord-00000-of-00001',
      'collection.json',
    ]);
    for (const name of names.filter((each) => each.includes('.') && each !== '1.0.0'))
      expect(readFileSync(join(outs[1]!, name))).toEqual(readFileSync(join(outs[0]!, name)));
    const sets = await Promise.all(
      ['train', 'val'].map(async (split) => {
        const out = at(`of-${split}`);
        await done([
          ...['collect', '--rlds', outs[0]!, '--rlds-split', split],
          ...['--val-share', '0', '--out', out],
        ]);
        return recordsIn(join(out, 'train.json'));
      }),
    );
    expect(sets[0]!.length + sets[1]!.length).toBe(count);
  });
});

describe('emac collect --rlds', () => {
  it('reads the files of TensorFlow Datasets: actions, instructions and pictures unchanged', async () => {
    const out = at('fixture');
    await done(['collect', '--rlds', fixture, '--val-share', '0', '--out', out]);
    const steps = expected.splits['train']!.flatMap((episode, number) =>
      episode.steps.map((step) => ({ ...step, number })),
    );
    expect(recordsIn(join(out, 'train.json'))).toMatchObject(
      steps.map(({ action, language_instruction, number }, place) => ({
        image: `images/${place}.jpg`,
        text_input: `In: What action should the robot take to ${language_instruction.toLowerCase()}?\nOut:`,
        action: action.values,
        task_type: 'tabletop',
        game_id: `tabletop/${number}`,
      })),
    );
    const { tabletop } = JSON.parse(readFileSync(join(out, 'dataset_statistics.json'), 'utf8')) as Record<
      string,
      { action: { mean: number[]; mask: boolean[] }; num_transitions: number; num_trajectories: number }
    >;
    expect(tabletop).toMatchObject({ num_transitions: 11, num_trajectories: 4 });
    const mean = (place: number, of = (x: number) => x) =>
      steps.reduce((sum, { action }) => sum + of(action.values[place]!), 0) / 11;
    expect(tabletop!.action.mean[0]).toBeCloseTo(mean(0), 12);
    // of −1 open and 1 closed: 0 closed and 1 open
    expect(tabletop!.action.mean[6]).toBeCloseTo(
      mean(6, (x) => (1 - x) / 2),
      12,
    );
  });

  it('stops at the step limit, with statistics over all steps', async () => {
    const out = at('few');
    await done(['collect', '--rlds', fixture, '--num-samples', '3', '--val-share', '0', '--out', out]);
    expect(recordsIn(join(out, 'train.json')).map(({ game_id }) => game_id)).toEqual([
      'tabletop/0',
      'tabletop/0',
      'tabletop/1',
    ]);
    expect(readFileSync(join(out, 'dataset_statistics.json'), 'utf8')).toContain('"num_transitions": 11');
  });

  it('samples a mixture by weight, equal for equal seeds, with statistics of each dataset', async () => {
    const root = at('several');
    cpSync(written, join(root, 'mine'), { recursive: true });
    cpSync(fixture, join(root, 'theirs'), { recursive: true });
    writeFileSync(at('mixtures.json'), '{"both": [["mine", 3], ["theirs", 1]]}');
    const mixing = ['collect', '--rlds', root, '--mixtures', at('mixtures.json'), '--mixture', 'both'];
    const drawn = async (seed: string, name: string) => {
      await done([
        ...mixing,
        '--num-samples',
        '200',
        '--val-share',
        '0.5',
        '--seed',
        seed,
        '--out',
        at(name),
      ]);
      return readFileSync(join(at(name), 'train.json'));
    };
    const first = await drawn('1', 'mixed');
    expect(await drawn('1', 'mixed-again')).toEqual(first);
    expect((await drawn('2', 'mixed-other')).equals(first)).toBe(false);
    const records = ['train.json', 'val.json'].flatMap((name) => recordsIn(join(at('mixed'), name)));
    const theirs = records.filter(({ task_type }) => task_type === 'tabletop').length;
    // 200 draws at ¼: 50 ± 4 · 6.1
    expect([records.length, theirs > 25, theirs < 75]).toEqual([200, true, true]);
    // those and 11 existing steps, each stored once
    expect(readdirSync(join(at('mixed'), 'images'))).toHaveLength(count + 11);
    const statistics = JSON.parse(
      readFileSync(join(at('mixed'), 'dataset_statistics.json'), 'utf8'),
    ) as object;
    expect(Object.keys(statistics)).toEqual(['tabletop_spatial', 'tabletop']);
  });

  it('warns of grippers that never open', async () => {
    const out = at('grippers');
    const layout = ['--rlds-action', 'observation/state'];
    const refused = await emac(['collect', '--rlds', written, ...layout, '--out', out]);
    // a state has eight numbers
    expect([refused.status, refused.stderr]).toEqual([65, expect.stringContaining('must be 7 numbers')]);
    // the last gripper value of a state is at most 0: seven other numbers, none below 0
    const ones = Array(7).fill('reward').join(',');
    const { stderr } = await emac(['collect', '--rlds', written, '--rlds-action', ones, '--out', out]);
    expect(stderr).toContain('no gripper value is below 0');
  });

  it('refuses a damaged record with 65 and leaves no folder', async () => {
    const damaged = at('damaged');
    cpSync(written, damaged, { recursive: true });
    const path = join(damaged, '1.0.0', 'tabletop_spatial-train.tfrecord-00000-of-00001');
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    const { status, stderr } = await emac(['collect', '--rlds', damaged, '--out', at('refused')]);
    expect([status, stderr]).toEqual([65, expect.stringContaining('tabletop_spatial-train.tfrecord')]);
    expect(existsSync(at('refused'))).toBe(false);
  });

  it('makes a dataset for emac train --method sft, with the statistics in the model’s folder', async () => {
    const model = at('model');
    cpSync(rlTiny, model, { recursive: true });
    const data = at('learned');
    await done(['collect', '--rlds', written, '--val-share', '0', '--out', data]);
    const learning = ['sft', '--data', data, '--epochs', '2', '--lr', '1e-3', '--quiet', '--policy', model];
    const without = await emac([...learning, '--out', at('without')]);
    expect([without.status, without.stderr]).toEqual([
      66,
      expect.stringContaining("put the dataset_statistics.json of tabletop_spatial into the model's folder"),
    ]);
    cpSync(join(data, 'dataset_statistics.json'), join(model, 'dataset_statistics.json'));
    await done([...learning, '--out', at('runs')]);
    const [run] = readdirSync(at('runs'));
    const losses = readFileSync(join(at('runs'), run!, 'metrics.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; loss: number })
      .filter(({ kind }) => kind === 'round')
      .map(({ loss }) => loss);
    expect(losses[1]).toBeLessThan(losses[0]!);
  });

  it.each<[number, readonly string[], string]>([
    [64, ['--rlds', fixture, '--env', 'tabletop/spatial'], '--env, --rlds: each names'],
    [64, ['--rlds', fixture, '--expert', 'scripted'], '--expert: belongs to playing games or --env'],
    [64, ['--rlds', fixture, '--games', 'x'], '--games: belongs to playing'],
    [64, ['--rlds', fixture, '--format', 'rlds'], '--format: belongs to --env, not to --rlds'],
    [64, ['--rlds', fixture, '--seed', '1'], '--seed: belongs to --mixture'],
    [64, ['--rlds', fixture, '--mixture', 'a'], '--mixtures'],
    [64, ['--rlds', fixture, '--mixtures', 'a'], 'belongs to --mixture'],
    [64, ['--rlds', fixture, '--mixture', 'a', '--mixtures', 'b'], '--num-samples'],
    [64, ['--rlds', fixture, '--rlds-split', 'test'], '(train, val); give one of them'],
    [64, ['--rlds', fixture, '--rlds-image', 'observation/x'], 'steps have no observation/x'],
    [66, ['--rlds', join(folder, 'nowhere')], 'does not exist'],
    [64, ['--env', 'tabletop/spatial', '--mixture', 'a'], '--mixture: belongs to --rlds'],
    [64, ['--env', 'gym_cards/Blackjack', '--format', 'rlds'], '--format: rlds is for tabletop'],
    [64, ['--num-samples', '3'], '--num-samples: belongs to --env or --rlds'],
    [64, ['--rlds-split', 'val'], '--rlds-split: belongs to --rlds'],
    [64, ['--format', 'rlds'], '--format: belongs to --env'],
  ])('is refused with %i: %j', async (status, argv, hint) => {
    const refused = await emac(['collect', ...argv, '--out', join(folder, 'refused')]);
    expect([refused.status, refused.stderr]).toEqual([status, expect.stringContaining(hint)]);
  });
});
