/** From scripted play to imitation, evaluation in the environment, and PPO from there, with a model of the fixtures. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '@emac/core';
import { collectEnvironment } from '@emac/datasets';
import { onFailpoint } from '@emac/files';
import { openPpoPolicy, plainHost, ppoEnvironment } from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import type { GivenTrainConfig } from '@emac/settings';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ppoConfig } from './given-config.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { resume } from '../methods.ts';
import { train } from '../training/train.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { lossesOf, playedSteps, small } from './language-steps.test.support.ts';

const folder = temporaryFolder();
const model = fileURLToPath(new URL('../../../backbone/fixtures/families/qwen2_vl', import.meta.url));
const env = 'gym_cards/NumberLine-v0';
const data = join(folder, 'data');
const tuning: GivenTrainConfig = {
  phase: 'bc',
  policy: model,
  trained: { parts: 'projection,lora', rank: 2 },
  dataset: { data: join(data, 'train.json'), validation: join(data, 'val.json'), epochs: 2 },
  optimization: { updates: 3, batchSize: 2, accumulate: 1 },
  speech: { maxLength: 120, maxPromptTokens: 880 },
  evaluation: { episodes: 0 },
};
const metricsOf = (run: string) => readFileSync(join(run, 'metrics.jsonl'), 'utf8');

let run = '';
beforeAll(async () => {
  await collectEnvironment({ env, out: data, samples: 12, validation: 0.2 });
  ({ folder: run } = await train({ ...tuning, out: join(folder, 'whole') }));
});
afterEach(() => onFailpoint(null));

describe('fine-tuning on scripted play', () => {
  it('ends after the requested updates, within an epoch, with a final measurement', () => {
    const lines = metricsOf(run)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ kind }) => kind)).toEqual(['probe', 'update', 'update', 'update', 'probe']);
    expect(Number(lines.at(-1)!['loss'])).toBeLessThan(Number(lines[0]!['loss']));
  });

  it.each(['updating', 'measuring'] as const)(
    'resumes after a stop at %s to the same bytes',
    async (place) => {
      const out = join(folder, place);
      const stop = new AbortController();
      let left = 2;
      onFailpoint((name) => {
        if (name === place && --left === 0) stop.abort();
      });
      const begun = train({ ...tuning, out }, plainHost({ signal: stop.signal }));
      if (place === 'updating') await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
      else await begun.catch(() => undefined);
      onFailpoint(null);
      const stopped = join(out, readdirSync(out)[0]!);
      await resume(stopped);
      expect(metricsOf(stopped)).toBe(metricsOf(run));
      const parameters = (of: string) =>
        readFileSync(join(resolveCheckpoint(of).folder, 'adapter_model.safetensors'));
      expect(parameters(stopped).equals(parameters(run))).toBe(true);
    },
  );

  it('is evaluated in the environment like a PPO run, with its trained answer length', async () => {
    const asked = { env, ckpt: run, numGames: 1 };
    const { result, config } = await evaluatedSteps(asked);
    expect(result.games.map(({ id }) => id.startsWith(`${env}/`))).toEqual([true]);
    expect(config).toMatchObject({ policy: model, speech: { maxLength: 120, maxPromptTokens: 880 } });
  });

  it('uses no dropout in PPO, whatever it was trained with: every ratio begins at 1', async () => {
    const dropping: GivenTrainConfig = {
      ...tuning,
      trained: { parts: 'lora', rank: 2, dropout: 0.5 },
      optimization: { batchSize: 2, accumulate: 1, learningRate: 0.05 },
      out: join(folder, 'dropping'),
    };
    const { folder: init } = await train(dropping);
    const adapter = readFileSync(join(resolveCheckpoint(init).folder, 'adapter_config.json'), 'utf8');
    expect(JSON.parse(adapter)).toMatchObject({ lora_dropout: 0.5 });
    const { dropout: _left, ...trained } = small.trained!;
    const { policy, steps, rows } = await playedSteps({ ...small, init, trained }, 2);
    try {
      const losses = lossesOf({ entropyCoefficient: 0 });
      const { logProbabilities } = await policy.actorCritic.gradient(rows, losses);
      const ratios = logProbabilities.flatMap((ofTokens, place) =>
        [...ofTokens].map((now, token) => Math.exp(now - steps.answers[place]!.logProbabilities[token]!)),
      );
      expect(ratios.length).toBeGreaterThan(0);
      for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(1e-4);
    } finally {
      await policy.dispose();
    }
  });

  it('is continued by PPO: the same adapter and projection, and the trained prompt', async () => {
    const trained = { parts: 'projection,lora' } as const;
    const speech = { maxLength: 120, maxPromptTokens: 880 };
    // the adapter is the run's, of rank 2, whatever the preset
    const config = ppoConfig({ env, policy: model, init: run, preset: 'nl', trained, speech });
    const policy = await openPpoPolicy(config, { random: Random.fromSeed(0), from: run }, plainHost());
    try {
      const [projection, adapter] = policy.actorCritic.groups.policy.map((group) => group.parameters);
      const stored = loadCheckpoint(resolveCheckpoint(run).folder);
      for (const [name, { data: numbers }] of stored.projection)
        expect(projection!.get(name)!.data).toEqual(numbers);
      expect([...adapter!.values()].some(({ data: numbers }) => numbers.some((value) => value !== 0))).toBe(
        true,
      );
      const environment = ppoEnvironment(config);
      environment.reset(0);
      const seen = { text: '', arrays: environment.observe(), frame: environment.frame() };
      const [first] = JSON.parse(readFileSync(join(data, 'train.json'), 'utf8')) as { text_input: string }[];
      expect((await policy.texts.prompt(seen)).at(-1)).toEqual({ kind: 'text', text: first!.text_input });
    } finally {
      await policy.dispose();
    }
  });
});
