/** Paths of a configuration that is read again, and games that a later phase takes from the run before. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { grpoConfig } from './grpo-config.ts';
import { fromDirectory, laterConfig, readStoredConfig, type RunCommand } from './stored-config.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';
import { trainConfig } from './train-config.ts';

describe('a configuration that is read again', () => {
  it('resolves relative paths in the directory where the run began', () => {
    const directory = temporaryFolder();
    for (const name of ['games', 'before']) mkdirSync(join(directory, name));
    writeFileSync(join(directory, 'own.json'), '{}');
    const config = trainConfig({
      phase: 'dpo',
      policy: 'own.json',
      init: 'gone',
      start: { ref: 'before@best' },
      games: 'games',
    });
    const { policy, start, init, games } = fromDirectory('train', config, directory);
    expect([policy, start.ref, init, games]).toEqual([
      join(directory, 'own.json'),
      join(directory, 'before@best'),
      'gone',
      join(directory, 'games'),
    ]);
  });

  it('takes a word by its meaning, even if a folder has that name', () => {
    const directory = temporaryFolder();
    for (const name of ['emma-tiny', 'model', 'random', 'builtin:train']) mkdirSync(join(directory, name));
    for (const init of ['model', 'random', 'emma-tiny']) {
      const config = trainConfig({ phase: 'bc', init, games: 'builtin:train' });
      expect(fromDirectory('train', config, directory)).toEqual(config);
    }
  });
});

it('a later phase starts from its reference, whatever name the start of the first was given by', () => {
  const given = { start: { init: 'random' } } as object;
  const { init, start } = laterConfig(given, { phase: 'dpo', ref: 'runs/a', out: 'runs' });
  expect([init, start.ref]).toEqual([null, 'runs/a']);
});

describe('a run of an earlier version', () => {
  const earlier = (command: RunCommand, config: object): string => {
    const now = () => new Date(0);
    const out = temporaryFolder();
    return createRun({
      out,
      phase: command,
      seed: 0,
      config: { v: 2, command, ...config },
      versions: {},
      now,
    }).folder;
  };

  it('is read under the names of today, whatever its method', () => {
    const { out: _train, policy, init, games, ...train } = trainConfig({ phase: 'bc', init: 'model' });
    const { evaluation, speech } = train;
    const before = {
      ...train,
      model: { ...train.model, path: policy },
      start: { ...train.start, init },
      play: { ...train.play, games },
      evaluation: { on: evaluation.on, parallelEpisodes: null, games: evaluation.episodes },
      speech: { ...speech, maxPromptTokens: undefined, maxTextTokens: 500 },
    };
    const { config } = readStoredConfig(
      earlier('train', JSON.parse(JSON.stringify(before)) as object),
      'train',
      [],
    );
    expect(config).toEqual({
      ...trainConfig({ phase: 'bc', init }),
      speech: { ...speech, maxPromptTokens: 500 },
    });
    const { out: _grpo, policy: listener, optimization, ...grpo } = grpoConfig({ role: 'listener' });
    const { passes: iterations, warmup: warmupSteps, ...others } = optimization;
    const old = { ...grpo, model: { path: listener }, optimization: { ...others, iterations, warmupSteps } };
    const folder = earlier('grpo', { phase: 'grpo', ...old });
    expect(readStoredConfig(folder, 'grpo', ['phase']).config).toEqual(
      grpoConfig({ role: 'listener', model: { maxPixels: null } }),
    );
  });

  it('is not resumed from flags, nor by an older version than its own', () => {
    expect(() => readStoredConfig(earlier('train', { v: 1 }), 'train', [])).toThrow(
      /by an older version of emac/,
    );
    expect(() => readStoredConfig(earlier('ppo', { v: 4 }), 'ppo', [])).toThrow(/by a newer version of emac/);
  });
});
