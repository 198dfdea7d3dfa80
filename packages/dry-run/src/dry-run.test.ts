import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { collect } from '@emac/datasets';
import { modelFolder } from '@emac/emma-tiny';
import { train } from '@emac/experiment';
import { plainHost } from '@emac/opening';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DryHost } from './dry-run.ts';
import { dryCollection } from './dry-collection.ts';
import { dryEvaluation } from './dry-evaluation.ts';
import { dryTraining } from './dry-training.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const out = join(folder, 'runs');
const small = {
  out,
  play: { rounds: 2, gamesPerRound: 2, maxSteps: 5 },
  speech: { beams: 1 },
  evaluation: { games: 1 },
};
const gib = 2 ** 30;
/** A machine with enough room by default, on which everything is measured once. */
const host = (machine: { readonly free?: number; readonly available?: number } = {}): DryHost => {
  const { free = gib, available = gib } = machine;
  const memory = () => ({ resident: 1000, peak: 3000, available });
  return { ...plainHost(), measureLimit: 0, machine: { memory, freeSpace: () => free } };
};
const sizeOf = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : statSync(path).size;

let run: string;
beforeAll(async () => {
  run = (await train({ phase: 'bc', ...small, out: join(folder, 'made-before') })).folder;
});

describe('a dry run', () => {
  it('describes training as the run then does it', async () => {
    const [dry] = await dryTraining(small, ['bc'], { ...host(), measureLimit: 20_000 });
    expect(existsSync(out)).toBe(false);
    const { example, model, disk, memory, time } = dry!;
    expect(example!.prompt).toMatch(/^You are in the middle of a room\.[^]*\n>$/);
    expect(example!.target).toMatch(/^ \w+/);
    expect(example!.tokens).toMatchObject({ visual: 16 });
    // linear: 96 × 128 weights and 128 biases
    expect(model.parameters.trained).toBe(96 * 128 + 128);
    expect(memory).toMatchObject({ opened: 1000, acting: 1000, peak: 3000, training: 2000 + 8 * 12_416 });
    // two moments of 4 bytes; 1.35 times the peak of a short life
    const moments = 8 * 12_416;
    expect(memory.run).toEqual({ least: 3000 + moments, most: 4050 + moments });
    expect(time.parts.map(({ name }) => name)).toEqual([
      'opening',
      'evaluation before',
      'probe',
      'training',
      'evaluation after',
    ]);
    expect(time.total.least).toBeGreaterThan(0);
    expect(time.total.most).toBeGreaterThanOrEqual(time.total.least);

    const written = sizeOf(run);
    expect(written).toBeGreaterThan(disk!.total.least);
    expect(written).toBeLessThan(disk!.total.most);
    const config = readFileSync(join(run, 'config.yaml'), 'utf8');
    expect(config).toContain(`maxSteps: ${(dry!.config as typeof small).play.maxSteps}`);
  });

  it('describes a small network, which reads no text', async () => {
    const given = { ...small, env: 'MiniGrid-Empty-5x5-v0', model: { path: 'mlp' }, speech: {} };
    const [dry] = await dryTraining(given, ['bc'], host());
    expect(existsSync(out)).toBe(false);
    const { example, model, time } = dry!;
    expect(example).toBeNull();
    expect([model.folder, model.layers]).toEqual(['mlp', null]);
    // policy and critic have two hidden layers of 64 each; they differ in the outputs, 7 actions and one value: the critic does not learn here
    const { trained, frozen } = model.parameters;
    expect(trained - frozen).toBe((7 - 1) * (64 + 1));
    expect(time.parts.map(({ name }) => name)).toContain('training');
  });

  it('counts trainable parameters only, not others of the policy', async () => {
    const trained = { parts: 'lora', rank: 2, targets: 'q_proj' } as const;
    const [projection] = await dryTraining(small, ['bc'], host());
    const [dry] = await dryTraining({ ...small, trained }, ['bc'], host());
    // A [2, 128] and B [128, 2] in each of 5 layers
    const learned = 5 * 2 * (128 + 128);
    const { parameters } = projection!.model;
    expect(dry!.model.parameters).toEqual({ trained: learned, frozen: parameters.frozen + 12_416 });
    expect(dry!.memory.training).toBe(2000 + 8 * learned);
  });

  it('describes preferences against a run, and its evaluation', async () => {
    const [dpo] = await dryTraining({ ...small, start: { ref: run } }, ['dpo'], host());
    expect(dpo!.disk!.parts.map(({ name }) => name)).toContain('reference');
    const given = { ckpt: run, numGames: 2, out: `${out}/e/` };
    const evaluation = await dryEvaluation(given, host());
    expect(evaluation).toMatchObject({ of: '2 games, one attempt each', memory: { training: 0 } });
    expect(evaluation.disk!.folder).toBe(folder);
    expect(existsSync(out)).toBe(false);
  });

  it('goes through every phase, with the model in place of a future reference', async () => {
    const runs = await dryTraining(small, ['bc', 'dpo'], host());
    expect(runs.map(({ name }) => name)).toEqual(['bc', 'dpo']);
    expect(runs[1]!.notes.join()).toMatch(/dpo: the run of bc does not exist yet/);
  });

  it('describes datasets and collecting them', async () => {
    const made = join(folder, 'made');
    mkdirSync(made);
    const dry = await dryCollection({ out: join(made, 'set'), numGames: 1, maxSteps: 5 }, host());
    expect(dry.time.measured.decide).toEqual({ first: 0, last: 0 });
    expect(readdirSync(made)).toEqual([]);
    const { dataset } = await collect({ out: join(made, 'set'), numGames: 1, maxSteps: 5 });
    await expect(dryCollection({ out: join(made, 'set') }, host())).rejects.toMatchObject({
      code: 'cannot-create',
    });
    const given = { ...small, play: {}, dataset: { data: dataset, epochs: 2 } };
    const [training] = await dryTraining(given, ['bc'], host());
    const { least, most } = training!.time.parts.find(({ name }) => name === 'training')!.milliseconds;
    expect(most).toBeGreaterThanOrEqual(least);
    expect(training!.example!.source).toMatch(/train\.json, record 0$/);
    const answers = await dryEvaluation({ ckpt: 'emma-tiny', data: dataset }, host());
    expect(answers).toMatchObject({ of: expect.stringMatching(/samples$/) as string, disk: null });
  });

  it('extrapolates slow measurements', async () => {
    const [dry] = await dryTraining(small, ['bc'], host());
    const { how, update } = dry!.time.measured;
    expect(how.join()).toMatch(/extrapolated by prompt length/);
    expect(update).toMatchObject({ rows: 8, measuredRows: 1 });
    expect(update!.each.most).toBeGreaterThan(update!.each.least);
  });

  it('warns of scarce memory or disk, and refuses a disk that is too small', async () => {
    const [dry] = await dryTraining(small, ['bc'], host({ free: 700_000, available: 1000 }));
    expect(dry!.warnings.join()).toMatch(
      /may be too small if games reach.*training may need more than is free/,
    );
    // the first is too small for a run to begin, the second for all its checkpoints
    const many = { ...small, keep: null, play: { ...small.play, gamesPerRound: 5 } };
    for (const free of [1000, 600_000])
      await expect(dryTraining(many, ['bc'], host({ free }))).rejects.toMatchObject({
        code: 'io',
        message: expect.stringMatching(/MB of free space/) as string,
      });
  });
});

describe('a dry run finds', () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, 'x');
  const broken = join(folder, 'broken-model');
  cpSync(modelFolder, broken, { recursive: true });
  truncateSync(join(broken, 'model.safetensors'), 1_000_000);
  const openai = { kind: 'openai', languageModel: { model: 'gpt-4o' } } as const;
  const dry = (given: Parameters<typeof dryTraining>[0], phase: 'bc' | 'dpo' = 'bc') =>
    dryTraining({ ...small, ...given }, [phase], { ...host(), env: {} });

  it.each([
    ['games that do not exist', () => dry({ play: { games: join(folder, 'no') } }), 'missing'],
    ['games that are none', () => dry({ play: { games: folder } }), 'data'],
    ['a suite that is unknown', () => dry({ play: { games: 'builtin:no' } }), 'usage'],
    ['a model that does not exist', () => dry({ model: { path: join(folder, 'no') } }), 'missing'],
    ['a model that is broken', () => dry({ model: { path: broken } }), 'data'],
    ['a reference that does not exist', () => dry({ start: { ref: join(folder, 'no') } }, 'dpo'), 'missing'],
    ['a reference that is none', () => dry({ start: { ref: file } }, 'dpo'), 'data'],
    ['no reference', () => dry({}, 'dpo'), 'usage'],
    ['no key', () => dry({ expert: openai }), 'auth'],
    ['no place to write', () => dry({ out: join(file, 'runs') }), 'cannot-create'],
    [
      'a dataset that does not exist',
      () => dry({ play: {}, dataset: { data: join(folder, 'no') } }),
      'missing',
    ],
    ['a dataset that is none', () => dry({ play: {}, dataset: { data: file } }), 'data'],
    ['a missing backend', () => dry({ model: { provider: 'cuda' } }), 'unavailable'],
    ['settings that cannot be', () => dry({ seed: -1 }), 'config'],
    ['a policy that does not exist', () => dryEvaluation({ ckpt: join(folder, 'no') }, host()), 'missing'],
    [
      'a student that does not exist',
      () => dryCollection({ out, ckpt: join(folder, 'no'), numGames: 1 }, host()),
      'missing',
    ],
  ])('%s', async (_what, attempt, code) => {
    await expect(attempt()).rejects.toMatchObject({ code });
  });
});
