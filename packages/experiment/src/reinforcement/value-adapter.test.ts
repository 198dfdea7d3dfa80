/**
 * PPO of a vision-language model whose critic has its own adapter: trained parts, stored files, resuming to the same
 * bytes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import type { GivenPpoConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { stoppedAndGoneOn } from './stopped-run.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();

/** Three updates of 4 · 2 steps; only the critic learns in the first. */
const given: GivenPpoConfig = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 24, environments: 4, stepsPerUpdate: 2 },
  optimization: {
    passes: 1,
    minibatchSize: 8,
    learningRate: 0.003,
    valueInitSteps: 1,
    valueSchedule: 'constant',
    valueClipNorm: 1,
    targetKl: null,
  },
  trained: { parts: 'lora', rank: 2 },
  // of 4 ReLUs none may be left after three large steps, and the gradient ends there
  value: { hiddenWidths: [16], learns: 'adapter' },
  speech: { maxLength: 16 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
  keep: null,
};
const file = 'value_adapter.safetensors';
// after each update of 4 · 2 steps
const names = ['00000000', '00000009', '00000018', '00000027'];
const at = (run: string, checkpoint: string, name: string) =>
  readFileSync(join(run, 'checkpoints', checkpoint, name), 'base64');

describe('a run whose critic has its own adapter', () => {
  let whole = '';
  beforeAll(async () => {
    whole = (await trainPpo({ ...given, out: join(folder, 'whole') })).folder;
  });

  it('moves that adapter in every update, and the policy’s once the policy learns', () => {
    expect(new Set(names.map((name) => at(whole, name, file))).size).toBe(4);
    expect(new Set(names.map((name) => at(whole, name, 'value_head.safetensors'))).size).toBe(4);
    const [before, warm, ...learned] = names.map((name) => at(whole, name, 'adapter_model.safetensors'));
    expect(warm).toBe(before);
    expect(new Set([warm, ...learned]).size).toBe(3);
  });

  it("keeps the policy's moments and schedule during the critic's first update", () => {
    const { optimizer, state } = loadCheckpoint(join(whole, 'checkpoints', names[1]!));
    expect((state as { optimizer: unknown }).optimizer).toEqual({ policy: { step: 0 }, value: { step: 1 } });
    const isOfValues = (name: string) => name.startsWith('value_');
    const moments = [...optimizer!].filter(([name]) => !isOfValues(name));
    expect(moments.length).toBeGreaterThan(0);
    expect(moments.every(([, { data }]) => data.every((each) => each === 0))).toBe(true);
    const lines = readFileSync(join(whole, 'metrics.jsonl'), 'utf8').trim().split('\n');
    const rates = lines.map((line) => JSON.parse(line) as Record<string, number>);
    // the policy's rate falls from 1 to 0.1 over its two updates; the critic's is five times as high
    expect(rates.map(({ lr }) => lr!.toPrecision(6))).toEqual(['0.00300000', '0.00300000', '0.00165000']);
    expect(rates.map(({ value_lr: rate }) => rate!.toPrecision(6))).toEqual(Array(3).fill('0.0150000'));
    expect(rates.every(({ value_gradient_norm: norm }) => norm! > 0)).toBe(true);
  });

  it("stores it under separate names, as large as the policy's, and can be evaluated", async () => {
    const { beside, optimizer } = loadCheckpoint(resolveCheckpoint(whole).folder);
    const own = beside.get(file)!;
    const policy = beside.get('adapter_model.safetensors')!;
    expect(own.size).toBe(policy.size);
    expect([...own.keys()].every((name) => name.startsWith('value_adapter.'))).toBe(true);
    const moments = [...optimizer!.keys()].filter((name) => name.startsWith('value_adapter.'));
    expect(moments).toHaveLength(2 * own.size);
    const asked = { env: given.env, numGames: 1 };
    const { result, config } = await evaluatedSteps({ ...asked, ckpt: whole });
    expect(result.games).toHaveLength(1);
    expect(config).toMatchObject({ value: { learns: 'adapter' } });
  });

  it.each([2, ...alsoLong([1])])('resumes after a stop in update %d to the same bytes', async (count) => {
    const stopped = await stoppedAndGoneOn({ ...given, out: join(folder, `stopped-${count}`) }, count);
    expect([...contentOf(stopped).keys()]).toContain(`checkpoints/${names.at(-1)}/${file}`);
    expect(contentOf(stopped)).toEqual(contentOf(whole));
  });
});

it.each([
  { learns: 'head', isApart: true },
  { learns: 'adapter', isApart: true },
  { learns: 'policy', isApart: false },
] as const)(
  "makes the policy's first step independent of the critic's loss weight, unless they share parameters: $learns",
  async ({ learns, isApart }) => {
    const adapterAt = async (valueCoefficient: number) => {
      const { folder: run } = await trainPpo({
        ...given,
        play: { ...given.play, environmentSteps: 8 },
        optimization: { ...given.optimization, valueInitSteps: 0 },
        losses: { valueCoefficient },
        value: { hiddenWidths: [16], learns },
        out: join(folder, `apart-${learns}`),
      });
      const found = at(run, names[1]!, 'adapter_model.safetensors');
      expect(found).not.toBe(at(run, names[0]!, 'adapter_model.safetensors'));
      const files = readdirSync(join(run, 'checkpoints', names[1]!));
      expect(files.includes(file)).toBe(learns === 'adapter');
      return found;
    };
    const [weak, strong] = [await adapterAt(0.5), await adapterAt(50)];
    if (isApart) expect(strong).toBe(weak);
    else expect(strong).not.toBe(weak);
  },
);
