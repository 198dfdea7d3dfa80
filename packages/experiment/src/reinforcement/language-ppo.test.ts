/** PPO with vision-language models: LoRA and a value head, answers as text, stopped, resumed and evaluated. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { lossesOf, playedSteps, small } from './language-steps.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import type { FinishedPpo } from './recipe.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

/** rl-tiny, whose answers name actions: rewards change the policy within three updates. */
const learning: GivenPpoConfig = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 24, environments: 4, stepsPerUpdate: 2 },
  optimization: { passes: 1, minibatchSize: 8, learningRate: 0.003, valueInitSteps: 0, targetKl: null },
  trained: { parts: 'projection,lora', rank: 2 },
  value: { hiddenWidths: [4] },
  model: { activations: 'recomputed' },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};
const stored = ['adapter_model.safetensors', 'projection.safetensors', 'value_head.safetensors'];

describe.each([
  ['of the fixtures', small, 4],
  ['that answers in JSON', learning, 4],
])('a vision-language model %s', (_kind, given, count) => {
  it('has a ratio of 1 at every step before the first update, each under its own prompt', async () => {
    const { policy, steps, rows } = await playedSteps(given, count);
    onTestFinished(() => policy.dispose());
    // actions are seen in the picture, or in the formula of the prompt
    expect(new Set(steps.prompts.map((prompt) => JSON.stringify(prompt))).size).toBeGreaterThan(1);
    const { logProbabilities, values } = await policy.actorCritic.gradient(
      rows,
      lossesOf({ entropyCoefficient: 0 }),
    );
    expect(logProbabilities).toHaveLength(2 * count);
    logProbabilities.forEach((ofTokens, place) => {
      const sampled = steps.answers[place]!.logProbabilities;
      expect(ofTokens).toHaveLength(sampled.length);
      ofTokens.forEach((now, token) => {
        expect(Math.abs(Math.exp(now - sampled[token]!) - 1)).toBeLessThan(1e-4);
      });
    });
    values.forEach((value, place) => expect(value).toBeCloseTo(steps.values[place]!, 4));
  });
});

describe('a run of a model that answers in JSON', () => {
  let whole: FinishedPpo;
  const notes: string[] = [];
  const at = (run: string, checkpoint: string, name: string) =>
    readFileSync(join(run, 'checkpoints', checkpoint, name), 'base64');
  beforeAll(async () => {
    const listener = { note: (line: string) => void notes.push(line) };
    whole = await trainPpo({ ...learning, out: join(folder, 'whole') }, plainHost({ listener }));
  });

  it('moves adapter, projection and value head in every update by a policy gradient, and is named', () => {
    const lines = readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
    for (const line of lines) expect((JSON.parse(line) as Numbers)['fallback_share']).toBeLessThan(1);
    // after each update of 4 · 2 steps
    const checkpoints = ['00000000', '00000009', '00000018', '00000027'];
    for (const name of stored)
      expect(new Set(checkpoints.map((checkpoint) => at(whole.folder, checkpoint, name))).size, name).toBe(4);
    expect(notes).toContain('policy rl-tiny');
  });

  it('resumes after a stop to the same bytes, and can be the start of another run', async () => {
    const stop = new AbortController();
    onFailpoint((name) => {
      if (name === 'updating') stop.abort();
    });
    const out = join(folder, 'stopped');
    await expect(trainPpo({ ...learning, out }, plainHost({ signal: stop.signal }))).rejects.toMatchObject({
      code: 'interrupted',
    });
    onFailpoint(null);
    const stopped = join(out, readdirSync(out)[0]!);
    await resume(stopped);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
    const names = [...contentOf(stopped).keys()];
    for (const name of stored) expect(names).toContain(`checkpoints/00000027/${name}`);
    const play = { ...learning.play, environmentSteps: 8 };
    const from = await trainPpo({ ...learning, play, init: stopped, out: join(folder, 'from') });
    for (const name of stored)
      expect(at(from.folder, '00000000', name), name).toBe(at(stopped, '00000027', name));
  });

  it('is evaluated with its own value head and way of computing, also from a checkpoint that was copied', async () => {
    const asked = { env: learning.env, numGames: 2 };
    const { result, config } = await evaluatedSteps({ ...asked, ckpt: whole.folder });
    expect(config).toMatchObject({ value: { hiddenWidths: [4] }, model: { activations: 'recomputed' } });
    expect(result.games).toHaveLength(2);
    const copy = join(folder, 'copy');
    cpSync(join(whole.folder, 'checkpoints', '00000027'), copy, { recursive: true });
    const again = await evaluatedSteps({ ...asked, ckpt: copy });
    expect(again.config).toEqual(config);
    expect(again.result.games).toEqual(result.games);
  });

  it('looks at its pictures: with blank ones it begins all episodes with one answer', async () => {
    const begun = async (isBlank: boolean) => {
      const [answers, seen] = [new Map<number, string>(), () => undefined];
      const watch = {
        begun: seen,
        stepped: (episode: number, { answer }: { readonly answer: string }) =>
          void (answers.has(episode) || answers.set(episode, answer)),
        ended: seen,
      };
      const asked = {
        env: learning.env,
        ckpt: 'untouched',
        numGames: 6,
        speech: { observe: isBlank ? 'text' : 'both' } as const,
        out: join(folder, `blank-${isBlank}`),
      };
      await evaluatedSteps(asked, plainHost(), { begin: () => watch });
      return new Set(answers.values()).size;
    };
    // NumberLine's prompts are equal; numbers appear only in the picture
    expect(await begun(true)).toBe(1);
    expect(await begun(false)).toBeGreaterThan(1);
  });
});

type Numbers = Readonly<Record<string, number>>;
