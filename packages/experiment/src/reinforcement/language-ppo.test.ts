/** PPO through a vision-language model of the fixtures: LoRA and a value head, answers as text, stopped and gone on with. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { plainHost } from '../training/train.ts';
import { lossesOf, playedSteps, small } from './language-steps.test.support.ts';
import { resumePpo, trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
afterEach(() => onFailpoint(null));

describe('a vision-language model in an environment', () => {
  it('has a ratio of 1 at every step before the first update, each under its own prompt', async () => {
    const { policy, steps, rows } = await playedSteps(small, 4);
    onTestFinished(() => policy.dispose());
    // fallback actions write into the formula, which the prompts show
    expect(new Set(steps.prompts.map((prompt) => JSON.stringify(prompt.at(-1)))).size).toBeGreaterThan(1);
    const { logProbabilities, values } = await policy.actorCritic.gradient(
      rows,
      lossesOf({ entropyCoefficient: 0 }),
    );
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
