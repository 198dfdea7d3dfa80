import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { modelFolder } from '@emac/emma-tiny';
import { evaluatePolicy, openAgent, train } from '@emac/experiment';
import {
  encodeSafetensors,
  float16ToFloat32,
  float32ToFloat16,
  onFailpoint,
  openSafetensors,
  readFloat32,
  readJournal,
  readTensor,
  type TensorData,
} from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { builtinGame } from '@emac/world';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportModel } from './export-model.ts';
import { storedFloats } from './stored-floats.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const weight = 'language_projection.weight';
let run: string;

beforeAll(async () => {
  const finished = await train({
    phase: 'bc',
    out: join(folder, 'runs'),
    play: { rounds: 1, gamesPerRound: 1, maxSteps: 3 },
    optimization: { updatesPerEpisode: 5 },
    speech: { beams: 1 },
    probe: false,
    evaluation: { episodes: 2 },
  });
  run = finished.folder;
});

/** The shipped model in two shards, with its projection in half precision and a model card. */
function shardedModel(name: string): string {
  const place = join(folder, name);
  cpSync(modelFolder, place, { recursive: true });
  const file = openSafetensors(join(place, 'model.safetensors'));
  const shards = [new Map<string, TensorData>(), new Map<string, TensorData>()];
  const weight_map: Record<string, string> = {};
  for (const [index, tensor] of [...file.tensors.keys()].entries()) {
    const isOurs = tensor.startsWith('language_projection.');
    const shard = isOurs ? 1 : index % 2;
    const stored = readTensor(file, tensor);
    const half = {
      dtype: 'F16',
      shape: stored.shape,
      data: float32ToFloat16(readFloat32(file, tensor)),
    } as const;
    shards[shard]!.set(tensor, isOurs ? half : stored);
    weight_map[tensor] = `model-${shard}.safetensors`;
  }
  for (const [shard, tensors] of shards.entries())
    writeFileSync(join(place, `model-${shard}.safetensors`), encodeSafetensors(tensors));
  writeFileSync(join(place, 'model.safetensors.index.json'), JSON.stringify({ weight_map }));
  writeFileSync(join(place, 'README.md'), 'base');
  rmSync(join(place, 'model.safetensors'));
  return place;
}

const gamesOf = async (ckpt: string) => {
  const { result } = await evaluatePolicy({ ckpt, numGames: 2, maxSteps: 3 });
  return (result as EvaluationResult).games.map(({ id, won, steps }) => ({ id, won, steps }));
};

/** The form of observing of a policy without further settings. */
async function observedBy(ckpt: string): Promise<string> {
  const { form, dispose } = await openAgent(ckpt);
  await dispose();
  return form.text.observe;
}

/** Log-probabilities of an answer under a policy. */
async function scores(ckpt: string): Promise<readonly number[]> {
  const agent = await openAgent(ckpt);
  const frame = { width: 1, height: 1, data: new Uint8Array(3) };
  const image = { kind: 'image', features: await agent.student.encode!(frame) } as const;
  const prompt = [image, { kind: 'text', text: 'You are in the middle of a room.\n>' }] as const;
  const [[answer]] = (await agent.student.score([{ prompt, answers: [' go to desk 1'] }])) as [
    [Float32Array],
  ];
  await agent.dispose();
  return [...answer];
}

describe('a model exported as a folder', () => {
  it('gives the same scores and answers as the run’s policy', async () => {
    const out = join(folder, 'exported');
    expect(await exportModel({ checkpoint: run, out, model: null })).toEqual({
      folder: out,
      changed: ['model.safetensors'],
      leftOut: [],
    });
    expect(readdirSync(out).sort()).toEqual([...readdirSync(modelFolder), 'README.md'].sort());
    for (const name of readdirSync(modelFolder).filter((each) => /json$/.test(each)))
      expect(readFileSync(join(out, name))).toEqual(readFileSync(join(modelFolder, name)));
    expect(await scores(out)).toEqual(await scores(run));
    expect(await scores(out)).not.toEqual(await scores('emma-tiny'));
    expect(await gamesOf(out)).toEqual(await gamesOf(run));
    expect(await observedBy(out)).toBe(await observedBy(run));
    await expect(exportModel({ checkpoint: run, out, model: null })).rejects.toMatchObject({
      code: 'cannot-create',
    });
  });

  it('keeps shards and stored types; shards without the projection may be links', async () => {
    const model = shardedModel('sharded');
    const out = join(folder, 'exported-shards');
    const { changed } = await exportModel({ checkpoint: run, out, model, links: true });
    expect(changed).toEqual(['model-1.safetensors']);
    const inode = (place: string, shard: number) => statSync(join(place, `model-${shard}.safetensors`)).ino;
    expect([inode(out, 0) === inode(model, 0), inode(out, 1) === inode(model, 1)]).toEqual([true, false]);
    const { dtype, data } = readTensor(openSafetensors(join(out, 'model-1.safetensors')), weight);
    expect(dtype).toBe('F16');
    const learned = loadCheckpoint(resolveCheckpoint(run).folder).projection.get(weight)!.data;
    expect(float16ToFloat32(new Uint16Array(data.buffer))).toEqual(
      float16ToFloat32(float32ToFloat16(learned)),
    );
    expect(readFileSync(join(out, 'README-base.md'), 'utf8')).toBe('base');
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toMatch(/stored as F16, rounded from float32/);
  });

  it('drops unread copies of the weights, which would hold the old projection', async () => {
    const model = shardedModel('with-twins');
    const twins = [
      'adapter_model.safetensors',
      'old/model.safetensors',
      'pytorch_model-00001-of-00001.bin',
      'pytorch_model.bin.index.json',
      'tf_model.h5',
    ];
    mkdirSync(join(model, 'old'));
    for (const name of twins) writeFileSync(join(model, name), 'old');
    writeFileSync(join(model, 'training_args.bin'), 'no weights');
    const out = join(folder, 'exported-without-twins');
    const { leftOut } = await exportModel({ checkpoint: run, out, model });
    expect([...leftOut].sort()).toEqual(twins);
    const base = readdirSync(modelFolder).filter((name) => name !== 'model.safetensors');
    const shards = ['model-0.safetensors', 'model-1.safetensors', 'model.safetensors.index.json'];
    expect(readdirSync(out).sort()).toEqual(
      [...base, ...shards, 'README.md', 'README-base.md', 'training_args.bin'].sort(),
    );
    // a single file takes precedence over an index
    cpSync(join(modelFolder, 'model.safetensors'), join(model, 'model.safetensors'));
    const whole = join(folder, 'exported-whole-file');
    const exported = await exportModel({ checkpoint: run, out: whole, model });
    expect(exported.changed).toEqual(['model.safetensors']);
    expect([...exported.leftOut].sort()).toEqual([...twins, ...shards].sort());
  });

  it("links files that the model folder links to, as in a hub's cache", async () => {
    const stored = shardedModel('stored');
    const model = join(folder, 'linking', 'snapshot');
    mkdirSync(model, { recursive: true });
    for (const name of readdirSync(stored)) symlinkSync(join('..', '..', 'stored', name), join(model, name));
    const out = join(folder, 'exported-links');
    await exportModel({ checkpoint: run, out, model, links: true });
    expect(lstatSync(join(out, 'model-0.safetensors')).isFile()).toBe(true);
    expect(readFileSync(join(out, 'config.json'))).toEqual(readFileSync(join(stored, 'config.json')));
  });

  it("has a model card with the run's numbers", async () => {
    const card = readFileSync(join(folder, 'exported', 'README.md'), 'utf8');
    const result = JSON.parse(readFileSync(join(run, 'eval.json'), 'utf8')) as EvaluationResult;
    const [low, high] = result.success_ci95!.map((share) => `${(100 * share).toFixed(0)} %`);
    const share = `${(100 * result.success!).toFixed(0)} % (${low} to ${high})`;
    expect(card).toMatch(/\| success, held-out \| .* \|/);
    expect(card).toContain(`| ${share} |`);
    expect(card).toMatch(/^---\nlibrary_name: transformers\n/);
    expect(card).toContain('- base model: `emma-tiny`');
    expect(card).toMatch(/phase bc, seed 0, from `builtin:train`\n/);
    expect(card).toMatch(
      /at this checkpoint: 5 updates, rounds finished: 1 of 1; loss of the last update \d/,
    );
    expect(card).toContain('## Results on 2 held-out games of `builtin:valid_unseen`');
    expect(card).not.toContain('seen in training |');
    expect(card).not.toContain(folder);
    const first = join(run, 'checkpoints', '00000000');
    await exportModel({ checkpoint: first, out: join(folder, 'first'), model: null });
    // a run's evaluation belongs to its last checkpoint
    expect(readFileSync(join(folder, 'first', 'README.md'), 'utf8')).toContain(
      'was not evaluated in its run',
    );
    const copied = join(folder, 'copied');
    cpSync(first, copied, { recursive: true });
    await exportModel({ checkpoint: copied, out: join(folder, 'of-copied'), model: 'emma-tiny' });
    const ofCopied = readFileSync(join(folder, 'of-copied', 'README.md'), 'utf8');
    expect(ofCopied).toContain('losses and results are unknown');
    expect(ofCopied).toContain('at this checkpoint: 0 updates, rounds finished: 0\n');
  });

  it('has a model card with its own checkpoint, generation settings and training games', async () => {
    const games = join(folder, 'two-games');
    for (const place of [0, 1]) {
      const { id, file } = builtinGame('train', place);
      mkdirSync(join(games, id), { recursive: true });
      writeFileSync(join(games, id, 'game.tw-pddl'), JSON.stringify(file));
    }
    const trained = await train({
      phase: 'bc',
      out: join(folder, 'runs-of-two-rounds'),
      games,
      play: { rounds: 2, gamesPerRound: 1, maxSteps: 2, sampleTemperature: 0.5, skipSolved: false },
      optimization: { updatesPerEpisode: 5 },
      speech: { beams: 2, maxPromptTokens: 900 },
      probe: false,
      evaluation: { episodes: 2, on: games },
    });
    const cardOf = async (checkpoint: string) => {
      const out = join(folder, `card-of-${checkpoint}`);
      await exportModel({ checkpoint: `${trained.folder}@${checkpoint}`, out, model: null });
      return readFileSync(join(out, 'README.md'), 'utf8');
    };
    const updates = (
      readJournal(join(trained.folder, 'metrics.jsonl')) as { kind: string; round: number; loss: number }[]
    ).filter(({ kind }) => kind === 'update');
    const losses = [0, 1].map((number) => updates.findLast(({ round }) => round === number)!.loss);
    expect(losses[0]).not.toBe(losses[1]);
    // a round is one episode of at most two steps, and five updates
    const last = await cardOf('latest');
    const names = readdirSync(join(trained.folder, 'checkpoints')).filter((name) => /^0/.test(name));
    const first = await cardOf(names[1]!);
    const told = (round: number) =>
      `at this checkpoint: ${5 * round} updates, rounds finished: ${round} of 2; loss of the last update ${losses[round - 1]!.toPrecision(3)}\n`;
    expect(first).toContain(told(1));
    expect(last).toContain(told(2));
    expect(last).toContain('answers sampled at temperature 0.5\n');
    expect(last).toContain(
      'acting: given frames, and texts without contents (`--observe image`), at most 900 tokens of text; beam search with 2 beams for 1 to 128 new tokens, nothing sampled; at most 2 steps a game; any command is allowed\n',
    );
    expect(last).toContain(
      `## Results on 2 games of \`${games}\`, 1 of 2 seen in training and counted apart\n`,
    );
    expect(last).toMatch(/\| success, held-out \|.*\n\| mean steps, held-out \|/);
    expect(last).toMatch(/\| success, seen in training \|.*\n\| mean steps, seen in training \|/);
  });

  it('is not written at all after an error, nor anything beside it', async () => {
    const damaged = join(folder, 'damaged');
    cpSync(run, damaged, { recursive: true });
    truncateSync(join(resolveCheckpoint(damaged).folder, 'projection.safetensors'), 100);
    const other = join(folder, 'other-model');
    cpSync(modelFolder, other, { recursive: true });
    appendFileSync(join(other, 'tokenizer.json'), ' ');
    const before = readdirSync(folder);
    const out = join(folder, 'never');
    const tried = (given: object) => exportModel({ checkpoint: run, out, model: null, ...given });
    await expect(tried({ checkpoint: damaged })).rejects.toMatchObject({ code: 'data' });
    await expect(tried({ checkpoint: join(folder, 'no') })).rejects.toMatchObject({ code: 'missing' });
    await expect(tried({ model: join(folder, 'no') })).rejects.toMatchObject({ code: 'missing' });
    await expect(tried({ model: other })).rejects.toThrow(/was trained with another model/);
    await expect(tried({ model: other, out: join(other, 'new') })).rejects.toThrow(
      /new: lies inside .* another place/,
    );
    onFailpoint(() => {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    });
    await expect(tried({})).rejects.toMatchObject({ code: 'io' });
    onFailpoint(null);
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(out)).toBe(false);
  });
});

it('stores float32 rounded to nearest, ties to even', () => {
  const bits = (values: number[], dtype: 'F16' | 'BF16') =>
    [...new Uint16Array(storedFloats(Float32Array.from(values), dtype, 'w').slice().buffer)].map((each) =>
      each.toString(16),
    );
  // 1 + 2⁻⁸ lies halfway between 1 and 1 + 2⁻⁷, 1 + 3 · 2⁻⁸ between 1 + 2⁻⁷ and 1 + 2⁻⁶
  expect(bits([1, 1 + 2 ** -8, 1 + 3 * 2 ** -8, -2, Infinity], 'BF16')).toEqual([
    '3f80',
    '3f80',
    '3f82',
    'c000',
    '7f80',
  ]);
  expect(bits([NaN], 'BF16')[0]).toBe('7fc0');
  expect(bits([1, 0.5], 'F16')).toEqual(['3c00', '3800']);
  expect(() => storedFloats(new Float32Array(1), 'I64', 'w')).toThrow(/^w: .*F32, F16 or BF16/);
  // from 65520 on, the next float16 after 65504 would be nearer, and that is infinity
  expect(bits([65_519, -65_519], 'F16')).toEqual(['7bff', 'fbff']);
  expect(() => bits([1, -65_520], 'F16')).toThrow(
    /^w: must lie within ±65504 .* got -65520; store it as bfloat16/,
  );
});
