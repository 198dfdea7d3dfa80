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
import { labelMethod } from '@emac/algorithms';
import { collect } from '@emac/datasets';
import { modelFolder } from '@emac/emma-tiny';
import { train, trainGrpo, trainPpo } from '@emac/experiment';
import { plainHost } from '@emac/opening';
import { languageModelSchema, type GivenGrpoConfig, type GivenPpoConfig } from '@emac/settings';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DryHost } from './dry-plan.ts';
import { dryCollection, dryComparison, dryEvaluation } from './dry-play.ts';
import { dryGrpo, dryPpo, dryTraining } from './dry-run.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const out = join(folder, 'runs');
const small = {
  out,
  play: { rounds: 2, gamesPerRound: 2, maxSteps: 5 },
  speech: { beams: 1 },
  evaluation: { episodes: 1 },
};
const cards: GivenPpoConfig = {
  env: 'NumberLine',
  play: { environments: 2, environmentSteps: 24, stepsPerUpdate: 4 },
  evaluation: { episodes: 2 },
  out,
};
const gib = 2 ** 30;
/** A machine with enough room by default, on which only the smallest trial is measured. */
const host = (machine: { readonly free?: number; readonly available?: number } = {}): DryHost => {
  const { free = gib, available = gib } = machine;
  const memory = () => ({ resident: 1000, peak: 3000, available });
  return { ...plainHost(), measureLimit: 0, machine: { memory, freeSpace: () => free } };
};
const sizeOf = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : statSync(path).size;
const around = ['evaluation before', 'training', 'evaluation after'];

let run: string;
beforeAll(async () => {
  mkdirSync(join(folder, 'tmp'));
  vi.stubEnv('TMPDIR', join(folder, 'tmp'));
  run = (await train({ phase: 'bc', ...small, out: join(folder, 'made-before') })).folder;
});
afterAll(() => {
  expect(existsSync(out)).toBe(false);
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  vi.unstubAllEnvs();
});

describe('a dry run', () => {
  it('describes training as the run then does it', async () => {
    const [dry] = await dryTraining(small, ['bc'], { ...host(), measureLimit: 10_000 });
    const { example, model, disk, memory, time } = dry!;
    expect(example!.prompt).toMatch(/^You are in the middle of a room\.[^]*\n>$/);
    expect(example!.target).toMatch(/^ \w+/);
    expect(example!.tokens).toMatchObject({ visual: 16 });
    // linear: 96 × 128 weights and 128 biases
    expect(model.parameters.trained).toBe(96 * 128 + 128);
    // 1.5 times the peak of a short life, or what was added as often as prompts get longer
    expect(memory).toMatchObject({ opened: 1000, acting: 1000, peak: 3000, training: 2000 });
    expect(memory.run.least).toBe(3000);
    expect(memory.run.most).toBeGreaterThanOrEqual(4500);
    expect(time.parts.map(({ name }) => name)).toEqual(['opening', around[0], 'probe', ...around.slice(1)]);
    expect(time.total.least).toBeGreaterThan(0);
    expect(time.total.most).toBeGreaterThanOrEqual(time.total.least);

    const written = sizeOf(run);
    expect(written).toBeGreaterThan(disk!.total.least);
    expect(written).toBeLessThan(disk!.total.most);
    const config = readFileSync(join(run, 'config.yaml'), 'utf8');
    expect(config).toContain(`maxSteps: ${(dry!.config as typeof small).play.maxSteps}`);
  });

  it("learns by a program's own method", async () => {
    const { learn, ...bc } = labelMethod('bc') as Extract<
      ReturnType<typeof labelMethod>,
      { over: 'answers' }
    >;
    let learned = 0;
    const method = { ...bc, learn: (policy: Parameters<typeof learn>[0]) => (learned++, learn(policy)) };
    const given = { ...small, method: 'mine' };
    await dryTraining(given, ['bc'], { ...host(), method: { name: 'mine', sha256: '0', method } });
    expect(learned).toBeGreaterThan(0);
  });

  it('describes a small network, which reads no text', async () => {
    const given = { ...small, env: 'MiniGrid-Empty-5x5-v0', policy: 'mlp', speech: {} };
    const [dry] = await dryTraining(given, ['bc'], host());
    const { example, model } = dry!;
    expect(example).toBeNull();
    expect([model.folder, model.layers]).toEqual(['mlp', null]);
    // policy and critic have two hidden layers of 64 each; they differ in the outputs, 7 actions and one value: the critic does not learn here
    const { trained, frozen } = model.parameters;
    expect(trained - frozen).toBe((7 - 1) * (64 + 1));
  });

  it('counts trainable parameters only, not others of the policy', async () => {
    const trained = { parts: 'lora', rank: 2, targets: 'q_proj' } as const;
    const [projection] = await dryTraining(small, ['bc'], host());
    const [dry] = await dryTraining({ ...small, trained }, ['bc'], host());
    // A [2, 128] and B [128, 2] in each of 5 layers
    const learned = 5 * 2 * (128 + 128);
    const { parameters } = projection!.model;
    expect(dry!.model.parameters).toEqual({ trained: learned, frozen: parameters.frozen + 12_416 });
  });

  it('describes preferences against a run, and its evaluation', async () => {
    const [dpo] = await dryTraining({ ...small, start: { ref: run } }, ['dpo'], host());
    expect(dpo!.disk!.parts.map(({ name }) => name)).toContain('reference');
    const evaluation = await dryEvaluation({ ckpt: run, numGames: 2, out: `${out}/e/` }, host());
    expect(evaluation).toMatchObject({
      of: '2 games, one attempt each',
      memory: { training: 0 },
      example: { saidBy: 'the policy itself', tokens: { visual: 16 } },
      disk: { folder },
    });
    const sampled = await dryEvaluation(
      { ckpt: run, numGames: 2, attempts: 3, temperature: 1, out: null },
      host(),
    );
    expect(sampled.of).toBe('2 games, 3 attempts each');
  });

  it('goes through every phase, with the model in place of a future reference', async () => {
    const runs = await dryTraining(small, ['bc', 'dpo'], host());
    expect(runs.map(({ name }) => name)).toEqual(['bc', 'dpo']);
    expect(runs[1]!.notes.join()).toMatch(/dpo: the run of bc does not exist yet/);
  });

  it('describes datasets and collecting them', async () => {
    const made = join(folder, 'made');
    mkdirSync(made);
    const asked = { out: join(made, 'set'), numGames: 1, maxSteps: 5 };
    const dry = await dryCollection(asked, host());
    expect(readdirSync(made)).toEqual([]);
    const { dataset } = await collect(asked);
    const [record] = JSON.parse(readFileSync(dataset, 'utf8')) as Record<string, string>[];
    expect(dry.example).toMatchObject({ prompt: record!['text_input'], target: record!['text_output'] });
    await expect(dryCollection(asked, host())).rejects.toMatchObject({ code: 'cannot-create' });
    const given = { ...small, play: {}, dataset: { data: dataset, epochs: 2 } };
    const [training] = await dryTraining(given, ['bc'], host());
    const { least, most } = training!.time.parts.find(({ name }) => name === 'training')!.milliseconds;
    expect([least > 0, most]).toEqual([true, least]);
    expect(training!.example!.saidBy).toBe('the dataset');
    const answers = await dryEvaluation({ ckpt: 'emma-tiny', data: dataset }, host());
    expect(answers).toMatchObject({ of: expect.stringMatching(/samples$/) as string, disk: null });
  });

  it.each<[string, GivenPpoConfig, number]>([
    // two numbers from 0 to 5, one-hot, and two actions: two networks 12 → 64 → 64 → 2 and 1
    ['a small network', { ...cards, policy: 'mlp' }, (12 * 64 + 64 + 64 * 64 + 64) * 2 + 64 * 2 + 2 + 64 + 1],
    ['a model', { ...cards, policy: 'rl-tiny' }, 60_545],
  ])('of PPO with %s counts its updates', async (_name, given, trained) => {
    const [dry] = await dryPpo(given, host());
    expect(dry).toMatchObject({ name: 'ppo', config: { env: 'gym_cards/NumberLine-v0' }, expert: null });
    // 24 steps, 2 environments of 4
    expect(dry!.of).toMatch(/^24 steps of gym_cards\/NumberLine-v0 in 3 updates of 8; 2 held-out episodes/);
    expect(dry!.model.parameters.trained).toBe(trained);
    expect(dry!.example === null).toBe(given.policy === 'mlp');
    expect(dry!.time.parts.map(({ name }) => name)).toEqual(['opening', ...around]);
  });

  it.each<[string, GivenGrpoConfig, RegExp]>([
    ['an environment', { env: 'NumberLine' }, /NumberLine: 3 updates of 6 attempts, 2 groups of 3/],
    ['the Lewis game', { role: 'both' }, /^(listener|speaker) .*: 3 updates of 6 attempts/],
  ])('of GRPO in %s shows what the policy reads and says', async (_name, given, of) => {
    const play = { updates: 3, promptsPerUpdate: 2, groupSize: 3 };
    const runs = await dryGrpo({ ...given, play, evaluation: { episodes: 4 }, out }, host());
    expect(runs).toHaveLength(given.role === 'both' ? 2 : 1);
    for (const dry of runs) {
      expect(dry.of).toMatch(of);
      expect(dry.example!.prompt.length).toBeGreaterThan(0);
      expect(dry.disk!.total.least).toBeGreaterThan(0);
    }
  });

  it('takes the parameters that the run stores', async () => {
    const stored = { out: join(folder, 'stored') };
    const [ppo] = await dryPpo({ ...cards, policy: 'mlp', ...stored }, host());
    expect(ppo!.config).toEqual((await trainPpo({ ...cards, policy: 'mlp', ...stored })).config);
    const play = { updates: 1, promptsPerUpdate: 1, groupSize: 2 };
    const asked: GivenGrpoConfig = { env: 'NumberLine', play, evaluation: { episodes: 1 }, ...stored };
    const [grpo] = await dryGrpo(asked, host());
    expect(grpo!.config).toEqual((await trainGrpo({ ...asked, role: null })).config);
  });

  it('describes an evaluation step by step, and every policy of a comparison', async () => {
    const env = 'gym_cards/NumberLine-v0';
    const asked = { env, ckpt: 'untouched', model: { path: 'mlp' }, numGames: 3, out: join(out, 'steps') };
    const steps = await dryEvaluation(asked, host());
    expect(steps).toMatchObject({ of: `3 episodes of ${env}`, model: { folder: 'mlp' }, disk: { folder } });
    expect(steps.time.measured.play.least).toBeGreaterThan(0);
    const languageModel = languageModelSchema.parse({ baseUrl: 'http://127.0.0.1:1' });
    const policies = ['random', 'untouched', 'openai:any'];
    const compared = { policies, env, evaluation: { numGames: 3 }, languageModel, out: null };
    const runs = await dryComparison(compared, host());
    expect(runs.map(({ of }) => of)).toEqual(policies.map(() => `3 episodes of ${env}`));
    // a service is not asked
    expect(runs.at(-1)).toMatchObject({
      time: { how: ['playing: 0 steps'] },
    });
    const twice = { ...compared, policies: ['random', 'random'] };
    await expect(dryComparison(twice, host())).rejects.toThrow('--policy random: is given twice');
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
  const no = join(folder, 'no');
  const dry = (given: Parameters<typeof dryTraining>[0], phase: 'bc' | 'dpo' = 'bc') =>
    dryTraining({ ...small, ...given }, [phase], { ...host(), env: {} });
  const elsewhere = 'http://127.0.0.1:1';
  const server = { policy: 'rl-tiny', inference: { url: elsewhere, adapters: folder } };

  it.each<[string, () => Promise<unknown>, string, string?]>([
    ['games that do not exist', () => dry({ games: no }), 'missing'],
    ['games that are none', () => dry({ games: folder }), 'data'],
    ['a suite that is unknown', () => dry({ games: 'builtin:no' }), 'usage'],
    ['a model that does not exist', () => dry({ policy: no }), 'missing'],
    ['a model that is broken', () => dry({ policy: broken }), 'data'],
    ['a reference that does not exist', () => dry({ start: { ref: no } }, 'dpo'), 'missing'],
    ['a reference that is none', () => dry({ start: { ref: file } }, 'dpo'), 'data'],
    ['no reference', () => dry({}, 'dpo'), 'usage'],
    ['no key', () => dry({ expert: openai }), 'auth'],
    ['no place to write', () => dry({ out: join(file, 'runs') }), 'cannot-create'],
    ['a dataset that does not exist', () => dry({ play: {}, dataset: { data: no } }), 'missing'],
    ['a dataset that is none', () => dry({ play: {}, dataset: { data: file } }), 'data'],
    ['a missing backend', () => dry({ model: { provider: 'cuda' } }), 'unavailable'],
    ['settings that cannot be', () => dry({ seed: -1 }), 'config'],
    ['a policy that does not exist', () => dryEvaluation({ ckpt: no }, host()), 'missing'],
    ['a student that does not exist', () => dryCollection({ out, ckpt: no, numGames: 1 }, host()), 'missing'],
    ['PPO in clients', () => dryPpo({ ...cards, env: 'alfworld', world: { kind: 'http' } }, host()), 'usage'],
    ['GRPO in clients', () => dryGrpo({ env: 'alfworld', world: { kind: 'http' } }, host()), 'usage'],
    [
      'a listener elsewhere',
      () => dryGrpo({ role: 'speaker', listener: elsewhere }, host()),
      'usage',
      `asks no service, but --listener ${elsewhere} answers`,
    ],
    [
      'a server that answers',
      () => dryPpo({ ...cards, ...server }, host()),
      'usage',
      `asks no service, but --inference ${elsewhere} answers`,
    ],
  ])('%s', async (_what, attempt, code, sentence = '') => {
    const message = expect.stringContaining(sentence) as string;
    await expect(attempt()).rejects.toMatchObject({ code, message });
  });
});
