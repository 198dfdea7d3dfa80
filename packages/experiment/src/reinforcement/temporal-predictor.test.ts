/** PPO of a vision-language model with an action predictor: stored files, resuming to the same bytes, refusals. */
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

/** Three updates of 4 · 6 steps: the limit of 10 falls into the second, so that it has episodes that failed. */
const given: GivenPpoConfig = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 72, environments: 4, stepsPerUpdate: 6 },
  shaping: { temporalPredictor: 0.00025 },
  optimization: { passes: 1, minibatchSize: 8, learningRate: 0.003, valueInitSteps: 0, targetKl: null },
  trained: { parts: 'projection,lora', rank: 2 },
  value: { hiddenWidths: [4] },
  speech: { maxLength: 16 },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
};
const file = 'temporal_predictor.safetensors';
// after each update of 4 · 6 steps
const names = ['00000000', '00000025', '00000050', '00000075'];

type Numbers = Readonly<Record<string, number | null>>;
const linesOf = (run: string) =>
  readFileSync(join(run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Numbers);

describe('a run with a temporal predictor', () => {
  let whole = '';
  beforeAll(async () => {
    whole = (await trainPpo({ ...given, out: join(folder, 'whole') })).folder;
  });

  it('reports its loss and the novelty from the second update on, its first training', () => {
    const [first, ...later] = linesOf(whole);
    expect(first).toMatchObject({ predictor_loss: null, mean_novelty: null });
    expect(later).toHaveLength(2);
    expect(later.map((line) => line['predictor_loss']! > 0)).toEqual([true, true]);
    expect(later.some((line) => line['mean_novelty']! > 0 && line['mean_bonus']! > 0)).toBe(true);
    const at = (name: string) => readFileSync(join(whole, 'checkpoints', name, file), 'base64');
    expect(at(names[1]!)).toBe(at(names[0]!));
    expect(new Set(names.map(at)).size).toBe(3);
  });

  it('has it apart from the policy’s adapter, and is evaluated without it', async () => {
    const { beside, optimizer, state } = loadCheckpoint(resolveCheckpoint(whole).folder);
    const [own, predicting] = [beside.get('adapter_model.safetensors')!, beside.get(file)!];
    expect(predicting.size).toBe(own.size);
    expect([...predicting.keys()].filter((name) => own.has(name))).toEqual([]);
    const moments = [...optimizer!.keys()].filter((name) => name.startsWith('temporal_predictor.'));
    expect(moments).toHaveLength(2 * predicting.size);
    const { training } = state as { training: { temporal: { kept: unknown[]; running: unknown[] } } };
    expect(training.temporal.kept.length).toBe(
      linesOf(whole).reduce((sum, { episodes }) => sum + episodes!, 0),
    );
    const asked = { env: given.env, numGames: 1 };
    expect((await evaluatedSteps({ ...asked, ckpt: whole })).result.games).toHaveLength(1);
  });

  it.each([2, ...alsoLong([1])])('resumes after a stop in update %d to the same bytes', async (count) => {
    const stopped = await stoppedAndGoneOn({ ...given, out: join(folder, `stopped-${count}`) }, count);
    expect([...contentOf(stopped).keys()]).toContain(`checkpoints/${names.at(-1)}/${file}`);
    expect(contentOf(stopped)).toEqual(contentOf(whole));
  });

  it('is absent by default', async () => {
    const play = { ...given.play, environmentSteps: 24 };
    const { folder: run } = await trainPpo({ ...given, play, shaping: {}, out: join(folder, 'plain') });
    expect([...contentOf(run).keys()].filter((name) => name.includes('temporal'))).toEqual([]);
    expect(readFileSync(join(run, 'checkpoints', names[1]!, 'state.json'), 'utf8')).not.toMatch(
      /temporal|predictor/,
    );
    expect(Object.keys(linesOf(run)[0]!)).not.toContain('predictor_loss');
  });
});

it.each<[string, Partial<GivenPpoConfig>, RegExp]>([
  [
    'a small network',
    { policy: 'mlp' },
    /--temporal-predictor: is for language models, got --policy mlp; leave it out/,
  ],
  [
    'a policy without LoRA',
    { trained: { parts: 'projection' } },
    /got --train projection; give --train lora/,
  ],
])('%s has no temporal predictor', async (_which, changes, message) => {
  const { env, policy, shaping, play } = given;
  const out = join(folder, 'refused');
  const asked = { env, play, shaping, ...(policy && { policy }), ...changes, out };
  await expect(trainPpo(asked as GivenPpoConfig)).rejects.toThrow(message);
  await expect(trainPpo(asked as GivenPpoConfig)).rejects.toMatchObject({ code: 'usage' });
  expect(() => readdirSync(out)).toThrow();
});
