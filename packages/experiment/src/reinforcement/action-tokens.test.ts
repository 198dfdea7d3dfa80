/** Action tokens between a model and a robot, with rl-tiny's files and the statistics of a made-up data set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { openModelFiles } from '@emac/backbone';
import { actionTexts, actionTokens, actionWordsOf, plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { rlTiny } from '@emac/tiny-models';
import { readdirSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { robotModel } from './robot-model.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const model = join(folder, 'model');
beforeAll(() => void robotModel(model));
afterEach(() => onFailpoint(null));

const answer = (tokens: readonly number[]) => ({ text: '', tokens, logProbabilities: [] });

describe('action tokens', () => {
  const texts = () => {
    const words = actionWordsOf(openModelFiles(model), 'tabletop/spatial/3');
    const made = actionTexts({
      words,
      endToken: 2,
      penalty: -0.25,
      encode: () => Promise.reject(new Error()),
    });
    return { words, ...made };
  };

  it('say an action, and are read as the nearest one that has tokens', () => {
    const { words, read } = texts();
    const action = [0.5, -0.25, 0.125, 0, 0, 0, -1];
    const tokens = actionTokens(action, words);
    expect(tokens).toHaveLength(7);
    expect(tokens.every((token) => token >= words.vocabulary - 256 && token < words.vocabulary)).toBe(true);
    const read7 = read(answer([...tokens, 2]), null);
    expect(read7.penalty).toBeUndefined();
    // quantiles 0.01 and 0.99 lie 0.98 from the middle: a bin is 2 · 0.98 / 255 wide, of y half of it
    read7.action!.forEach((value, place) => expect(Math.abs(value - action[place]!)).toBeLessThan(0.0039));
    // closed
    expect(read(answer([...actionTokens([0, 0, 0, 0, 0, 0, 1], words), 2]), null).action!.at(-1)).toBe(1);
  });

  it('that end too early or too late do nothing and are penalized', () => {
    const { read, words } = texts();
    const tokens = actionTokens([1, 1, 1, 0, 0, 0, 1], words);
    for (const said of [[2], [...tokens.slice(0, 6), 2], [...tokens, tokens[0]!], tokens])
      expect(read(answer(said), null)).toEqual({
        action: [0, 0, 0, 0, 0, 0, -1],
        actionStart: 0,
        penalty: -0.25,
      });
  });

  it('need statistics of the suite', () => {
    expect(() => actionWordsOf(openModelFiles(rlTiny), 'tabletop/spatial')).toThrow(
      /has no dataset_statistics.json/,
    );
    const files = openModelFiles(model);
    expect(() => actionWordsOf(files, 'tabletop/long')).toThrow(/must have tabletop\/long or/);
    expect(() => actionWordsOf(files, 'tabletop/long')).toThrow(/put the dataset_statistics.json of/);
    // as a dataset in RLDS form is called
    expect(actionWordsOf(files, 'tabletop_spatial')).toEqual(actionWordsOf(files, 'tabletop/spatial/3'));
  });
});

describe('PPO with a robot', () => {
  const small = (): GivenPpoConfig => ({
    env: 'tabletop/spatial',
    policy: model,
    play: { environments: 2, stepsPerUpdate: 3, environmentSteps: 18, maxSteps: 4 },
    curriculum: { formula: 'half', decay: 0.5 },
    optimization: { valueInitSteps: 1, targetKl: null, minibatchSize: 6, passes: 1 },
    speech: { maxLength: 8 },
    evaluation: { episodes: 2 },
    checkpointEvery: 1,
  });

  it('stopped mid-episode resumes to the same bytes, curriculum included', async () => {
    const whole = await trainPpo({ ...small(), out: join(folder, 'whole') });
    expect(whole.after!.games.map(({ id }) => id)).toEqual([
      'tabletop/spatial/0/40',
      'tabletop/spatial/1/40',
    ]);
    const lines = readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
    // seven tokens of rl-tiny and an end are never an action before it has learned any; a step costs 1 by default
    expect(JSON.parse(lines[0]!)).toMatchObject({ malformed_share: 1, mean_penalty: -1, fallback_share: 0 });
    const stop = new AbortController();
    onFailpoint((name) => {
      if (name === 'updating') stop.abort();
    });
    const out = join(folder, 'stopped');
    const begun = trainPpo({ ...small(), out }, plainHost({ signal: stop.signal }));
    await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
    onFailpoint(null);
    const stopped = join(out, readdirSync(out)[0]!);
    await resume(stopped);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  });

  it('refuses ratings, and a predictor of words', async () => {
    const refused = (given: Partial<GivenPpoConfig>) =>
      trainPpo({ ...small(), ...given, out: join(folder, 'refused') });
    await expect(refused({ shaping: { utility: 'reward' } })).rejects.toThrow(/has no step ratings/);
    await expect(refused({ shaping: { temporalPredictor: 0.1 } })).rejects.toThrow(
      /predicts actions in words/,
    );
  });
});
