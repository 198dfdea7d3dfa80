/** A robot's PPO run in VLA-RL's layout: its contents, reading it back, and merging from it. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readAdapter } from '@emac/backbone';
import { Random } from '@emac/core';
import { evaluatePolicy, experimentId, ppoConfig, pythonFloat, trainPpo } from '@emac/experiment';
import { openSafetensors } from '@emac/files';
import { openPpoPolicy, plainHost, ppoEnvironment } from '@emac/opening';
import { createRun, loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import type { GivenPpoConfig } from '@emac/settings';
import type { EvaluationResult } from '@emac/rollout';
import { beforeAll, describe, expect, it } from 'vitest';
import { mergeModel } from './merge-model.ts';
import { exportPublished } from './published-run.ts';
import { robotModel } from './robot-model.test.support.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const model = join(folder, 'model');
const out = join(folder, 'published');
const small: GivenPpoConfig = {
  env: 'tabletop/spatial',
  policy: model,
  play: { environments: 2, stepsPerUpdate: 3, environmentSteps: 18, maxSteps: 3 },
  curriculum: { formula: 'half' },
  trained: { parts: 'projection,lora', rank: 2, alpha: 4 },
  best: { ema: 0.5 },
  // far from the initial policy, so that a missing adapter is noticed
  optimization: { learningRate: 0.01, targetKl: null, minibatchSize: 6, passes: 1 },
  losses: { entropyCoefficient: 1 },
  advantages: { normalize: 'update' },
  evaluation: { episodes: 0 },
  checkpointEvery: 2,
  keep: null,
};
const clock = (seconds: number) => Date.UTC(2026, 0, 2, 3, 4, seconds);

let run = '';
beforeAll(async () => {
  robotModel(model);
  let second = 0;
  const host = { ...plainHost(), now: () => clock(second++ % 60) };
  ({ folder: run } = await trainPpo({ ...small, out: join(folder, 'runs') }, host));
  exportPublished({ run, out, model: null });
});

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
const lines = (name: string) =>
  readFileSync(join(run, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const allIn = (place: string) =>
  new Map(
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(place.length), readFileSync(path, 'base64')]),
  );

/** A policy's answers to one picture, seven tokens and the end, sampled with the same seeds. */
async function said(given: { readonly policy: string; readonly from: string | null }): Promise<number[][]> {
  const config = ppoConfig({
    ...small,
    policy: given.policy,
    trained: { parts: 'projection,lora', rank: 2, alpha: 4 },
  });
  const start = { random: Random.fromSeed(0), from: given.from };
  const policy = await openPpoPolicy(config, start, plainHost());
  try {
    const environment = ppoEnvironment(config, 'evaluation');
    environment.reset(0);
    const seen = { text: environment.text(), arrays: {}, frame: environment.frame() };
    const prompt = await policy.texts.prompt(seen);
    const questions = Array.from({ length: 4 }, (_, draw) => ({
      prompt,
      allowed: null,
      random: Random.fromSeed(draw),
    }));
    const answers = await policy.actorCritic.decide(questions, { kind: 'sample', temperature: 1, topP: 1 });
    return answers.map(({ tokens }) => [...tokens]);
  } finally {
    await policy.dispose();
  }
}

describe('a published folder', () => {
  it('has a folder per checkpoint, named by its updates, and another for the best', () => {
    // every second update, the last, and the first; its return average is the best, since nothing is won later
    expect(readdirSync(out).sort()).toEqual([
      'best_return',
      'dataset_statistics.json',
      'step_0',
      'step_1',
      'step_2',
      'step_3',
    ]);
    const called = join(out, 'best_return');
    expect(allIn(called)).toEqual(allIn(join(out, 'step_1')));
    expect(readdirSync(called).sort()).toEqual([
      'MANIFEST.json',
      'adapter_config.json',
      'adapter_model.safetensors',
      'dataset_statistics.json',
      'metadata.json',
      'preprocessor_config.json',
      'projection.safetensors',
      'qformer_tokenizer',
      'state.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'value_head.safetensors',
    ]);
  });

  it('records date and settings in metadata.json, from the run and not from the clock', () => {
    const made = lines('events.jsonl').filter(({ kind }) => kind === 'checkpoint');
    expect(json(join(out, 'step_3', 'metadata.json'))).toEqual({
      timestamp: made.at(-1)!['time'],
      // an untrained model wins nothing in three steps
      ema_return: 0,
      current_return: 0,
      training_step: 3,
      global_step: 18,
      // two environments of three steps, 40 initial states for each of ten training tasks; the critic's learning rate is five
      // times the policy's
      exp_id: 'ppo+tabletop_spatial+tasks10+trials40+ns3+maxs3+rb2+tb6+lr-0.01+vlr-0.05+s-0+lora+norm_adv+cl',
      vla_path: model,
    });
    expect(json(join(out, 'step_0', 'metadata.json'))).toMatchObject({
      ema_return: null,
      current_return: null,
      training_step: 0,
      global_step: 0,
    });
    // each folder has the return of its own last update
    const told = join(folder, 'told');
    cpSync(run, told, { recursive: true });
    const metrics = lines('metrics.jsonl').map((line) => ({
      ...line,
      mean_return: Number(line['update']) + 0.5,
    }));
    writeFileSync(join(told, 'metrics.jsonl'), metrics.map((line) => `${JSON.stringify(line)}\n`).join(''));
    exportPublished({ run: told, out: join(folder, 'of-told'), model: null });
    const currentOf = (name: string) =>
      json(join(folder, 'of-told', name, 'metadata.json'))['current_return'];
    expect(['step_0', 'step_1', 'step_2', 'step_3', 'best_return'].map(currentOf)).toEqual([
      null,
      0.5,
      1.5,
      2.5,
      0.5,
    ]);
    const again = join(folder, 'again');
    exportPublished({ run, out: again, model: null });
    expect(allIn(again)).toEqual(allIn(out));
  });

  it('holds the adapter under PEFT’s names, with the name of its model', () => {
    const place = join(out, 'step_3');
    expect(json(join(place, 'adapter_config.json'))).toMatchObject({
      peft_type: 'LORA',
      r: 2,
      lora_alpha: 4,
      base_model_name_or_path: model,
    });
    const names = [...openSafetensors(join(place, 'adapter_model.safetensors')).tensors.keys()];
    expect(names.every((name) => /^base_model\.model\..*\.lora_[AB]\.weight$/.test(name))).toBe(true);
    const stored = resolveCheckpoint(run).folder;
    expect(readAdapter(place).parameters).toEqual(readAdapter(stored).parameters);
    const moved = [...readAdapter(place).parameters].filter(([name]) => name.includes('lora_B'));
    expect(moved.some(([, { data }]) => data.some((value) => Math.abs(value) > 1e-3))).toBe(true);
    expect(loadCheckpoint(place).optimizer).toBeUndefined();
  });

  it('gives the same answers as the run’s checkpoint when opened again, and can be evaluated alone', async () => {
    const [exported, own, bare] = [
      await said({ policy: model, from: join(out, 'step_3') }),
      await said({ policy: model, from: run }),
      await said({ policy: model, from: model }),
    ];
    expect(exported).toEqual(own);
    expect(exported).not.toEqual(bare);
    const asked = { env: 'tabletop/spatial', numGames: 1 };
    const alone = await evaluatePolicy({ ...asked, ckpt: join(out, 'best_return') });
    expect(alone).toMatchObject({ config: { policy: model, speech: { maxLength: 8 } } });
    const whole = await evaluatePolicy({ ...asked, ckpt: `${run}@best` });
    expect(alone).toMatchObject({ result: { games: (whole.result as EvaluationResult).games } });
  });

  it.each(['best_return', 'RUN@best'])('gives the same answers after merging (%s)', async (name) => {
    const adapter = name === 'best_return' ? join(out, name) : `${run}@best`;
    const merged = join(folder, `merged-${name}`);
    const date = new Date(clock(0));
    await mergeModel({ base: model, adapter, out: merged, dtype: 'float32', date });
    for (const each of readdirSync(model)) expect(readdirSync(merged)).toContain(each);
    for (const each of ['dataset_statistics.json', 'tokenizer.json', 'qformer_tokenizer/tokenizer.json'])
      if (existsSync(join(model, each)))
        expect(readFileSync(join(merged, each))).toEqual(readFileSync(join(model, each)));
    expect(json(join(merged, 'merge_metadata.json'))).toMatchObject({
      adapter_path: name === 'best_return' ? adapter : resolveCheckpoint(adapter).folder,
      base: 'model',
      adapter: name === 'best_return' ? name : `${run.split('/').at(-1)}@best`,
      r: 2,
      alpha: 4,
      dtype: 'float32',
      date: '2026-01-02T03:04:00.000Z',
    });
    const [alone, adapted] = [
      await said({ policy: merged, from: merged }),
      await said({ policy: model, from: adapter }),
    ];
    expect(alone).toEqual(adapted);
  });
});

describe('exporting a run in a published layout', () => {
  const refused = (given: Partial<Parameters<typeof exportPublished>[0]>) =>
    expect(() => exportPublished({ run, out: join(folder, 'refused'), model: null, ...given }));

  it('accepts an empty output folder, and no other', () => {
    const [empty, full] = [join(folder, 'empty'), join(folder, 'full')];
    mkdirSync(empty);
    exportPublished({ run, out: `${empty}/`, model: null });
    expect(allIn(empty)).toEqual(allIn(out));
    mkdirSync(full);
    writeFileSync(join(full, 'note.txt'), 'mine');
    refused({ out: full }).toThrow(/full: already exists and is not empty/);
    expect(readdirSync(full)).toEqual(['note.txt']);
  });

  it("rejects a damaged checkpoint and a single checkpoint's name, and leaves no folder", () => {
    const damaged = join(folder, 'damaged');
    cpSync(run, damaged, { recursive: true });
    const last = readdirSync(join(damaged, 'checkpoints'))
      .filter((name) => /^\d+$/.test(name))
      .sort()
      .at(-1)!;
    appendFileSync(join(damaged, 'checkpoints', last, 'adapter_model.safetensors'), '.');
    refused({ run: damaged }).toThrow(/adapter_model\.safetensors: has \d+ bytes, the manifest says/);
    refused({ run: `${run}@best` }).toThrow(/exports all checkpoints of a run; give the run's folder/);
    refused({ run: join(folder, 'nowhere') }).toThrow(/nowhere: does not exist/);
    refused({ model: join(folder, 'nowhere') }).toThrow(/nowhere does not exist/);
    expect(readdirSync(folder).filter((name) => name === 'refused' || name.startsWith('.'))).toEqual([]);
  });

  it('rejects a run of emac train --method grpo, and names its export command', () => {
    const command = 'grpo';
    const made = createRun({
      out: join(folder, 'runs'),
      seed: 0,
      phase: 'bc',
      config: { v: 2, command, phase: 'bc' },
      versions: {},
      now: () => new Date(clock(0)),
    });
    made.stop('interrupted', 'by hand');
    const other = made.folder;
    refused({ run: other }).toThrow(
      `${other}: is a run of emac train --method grpo, which has no published layout; export it without --layout`,
    );
    rmSync(other, { recursive: true });
  });

  it('rejects a policy without an adapter', async () => {
    const { folder: words } = await trainPpo({
      env: 'gym_cards/NumberLine-v0',
      policy: 'mlp',
      play: { environments: 1, stepsPerUpdate: 2, environmentSteps: 2 },
      evaluation: { episodes: 0 },
      out: join(folder, 'runs'),
    });
    refused({ run: words }).toThrow(/this policy \(mlp\) has none/);
    rmSync(words, { recursive: true });
  });
});

describe('an experiment’s name', () => {
  it('omits settings that an environment does not have', () => {
    const config = ppoConfig({
      env: 'gym_cards/EZPoints-v0',
      policy: 'emma-tiny',
      preset: 'vlarl',
      seed: 7,
      curriculum: { formula: null },
      play: { environments: 4, stepsPerUpdate: 8, maxSteps: null },
      optimization: { learningRate: 8e-6 },
    });
    // 6.25 times 8e-06; the preset normalizes no advantages
    expect(experimentId(config)).toBe('ppo+gym_cards_EZPoints-v0+ns8+rb4+tb32+lr-8e-06+vlr-5e-05+s-7+lora');
  });

  it('formats numbers as Python does', () => {
    expect([8e-6, 1e-10, 0.0001, 0.05, 1.5, 1, 0].map(pythonFloat)).toEqual([
      '8e-06',
      '1e-10',
      '0.0001',
      '0.05',
      '1.5',
      '1.0',
      '0.0',
    ]);
  });
});
