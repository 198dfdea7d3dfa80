/** PPO through a vision-language model of the fixtures: LoRA and a value head, answers as text, stopped and gone on with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random, vectorOf } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { clippedPolicyLoss, valueLossOf } from '@emac/losses';
import { collectSteps, trainingSeed } from '@emac/rollout';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { ppoConfig, type GivenPpoConfig } from '../config/ppo-config.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { plainHost } from '../training/train.ts';
import { openPpoPolicy } from './open-ppo-policy.ts';
import { ppoEnvironment } from './ppo-environments.ts';
import { resumePpo, trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const model = fileURLToPath(new URL('../../../backbone/fixtures/families/qwen2_vl', import.meta.url));
const small: GivenPpoConfig = {
  env: 'gym_cards/EZPoints-v0',
  policy: model,
  play: { environmentSteps: 12, environments: 2, stepsPerUpdate: 3, temperature: 0.8 },
  losses: { credit: 'answer', thoughtCoefficient: 0.5 },
  optimization: { epochs: 1, minibatchSize: 3, learningRate: 0.01 },
  trained: { parts: 'projection,lora', rank: 2, dropout: 0 },
  value: { hiddenWidths: [4] },
  speech: { maxLength: 8, maxTextTokens: 990 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};

afterEach(() => onFailpoint(null));

describe('a vision-language model in an environment', () => {
  it('has a ratio of 1 at every step before the first update, each under its own prompt', async () => {
    const config = ppoConfig(small);
    const random = Random.fromSeed(1);
    const policy = await openPpoPolicy(config, { random, from: null }, plainHost());
    onTestFinished(() => policy.dispose());
    const vector = vectorOf([ppoEnvironment(config), ppoEnvironment(config)], {
      seedOf: (place, episode) => trainingSeed(random, place, episode),
      lastFrames: true,
    });
    vector.reset();
    const steps = await collectSteps({
      actor: policy.actorCritic,
      vector,
      texts: policy.texts,
      sampling: { kind: 'sample', temperature: 0.8, topP: 1 },
      steps: 4,
      randoms: [random.stream(0), random.stream(1)],
      running: [
        { return: 0, steps: 0 },
        { return: 0, steps: 0 },
      ],
    });
    // fallback actions write into the formula, which the prompts show
    expect(new Set(steps.prompts.map((prompt) => JSON.stringify(prompt.at(-1)))).size).toBeGreaterThan(1);
    const rows = steps.prompts.map((prompt, place) => ({
      prompt,
      answers: [steps.answers[place]!.tokens],
      temperature: 0.8,
      weight: 1,
      valueWeight: 1,
      constants: {
        advantage: 1,
        sampledLogProbability: steps.answers[place]!.logProbabilities,
        sampledValue: steps.values[place]!,
        return: 0,
      },
    }));
    const { logProbabilities, values } = await policy.actorCritic.gradient(rows, {
      policy: clippedPolicyLoss({
        credit: 'token',
        clip: { low: 0.2, high: 0.2 },
        entropyCoefficient: 0,
      }),
      value: valueLossOf({ clip: null }),
    });
    logProbabilities.forEach((ofTokens, place) => {
      const sampled = steps.answers[place]!.logProbabilities;
      expect(ofTokens).toHaveLength(sampled.length);
      ofTokens.forEach((now, token) => expect(Math.exp(now - sampled[token]!)).toBeCloseTo(1, 3));
    });
    values.forEach((value, place) => expect(value).toBeCloseTo(steps.values[place]!, 4));
  });

  it('goes on after a stop to the same bytes, adapter, projection and value head included', async () => {
    const whole = await trainPpo({ ...small, out: join(folder, 'whole') });
    expect(whole.state).toMatchObject({ update: 2, environmentSteps: 12 });
    const stop = new AbortController();
    onFailpoint((name) => {
      if (name === 'updating') stop.abort();
    });
    const out = join(folder, 'stopped');
    await expect(trainPpo({ ...small, out }, plainHost({ signal: stop.signal }))).rejects.toMatchObject({
      code: 'interrupted',
    });
    onFailpoint(null);
    const stopped = join(out, readdirSync(out)[0]!);
    await resumePpo(stopped);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
    const names = [...contentOf(stopped).keys()].map((name) => name.split('/').at(-1));
    for (const name of ['adapter_model.safetensors', 'projection.safetensors', 'value_head.safetensors'])
      expect(names).toContain(name);
    // it starts from a run as the run ended
    const from = await trainPpo({ ...small, init: stopped, out: join(folder, 'from') });
    const [first, last] = [
      join(from.folder, 'checkpoints/00000000'),
      join(stopped, 'checkpoints', '00000014'),
    ];
    for (const name of ['adapter_model.safetensors', 'projection.safetensors', 'value_head.safetensors'])
      expect(readFileSync(join(first, name)).equals(readFileSync(join(last, name))), name).toBe(true);
  });
});

/** Metrics and checkpoints, by name. */
function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((name) => name === 'metrics.jsonl' || /^checkpoints\/\d+\//.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(run, name), 'base64')]));
}
