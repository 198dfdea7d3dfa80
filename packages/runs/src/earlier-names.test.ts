import { expect, it } from 'vitest';
import { nameToday, underNamesToday } from './earlier-names.ts';

it('reads settings of earlier versions under the names of today, given ones too', () => {
  const before = {
    model: { path: 'rl-tiny', rows: 'steps' },
    start: { init: 'runs/a' },
    speech: { maxTextTokens: 400 },
    evaluation: { games: 20, on: 'builtin:train' },
    optimization: { iterations: 2, warmupSteps: 3 },
    given: { model: { path: 'rl-tiny' }, dataset: { data: 'a.json', maxUpdates: 9 } },
  };
  expect(underNamesToday(before)).toEqual({
    policy: 'rl-tiny',
    model: { rows: 'steps' },
    init: 'runs/a',
    speech: { maxPromptTokens: 400 },
    evaluation: { episodes: 20, on: 'builtin:train' },
    optimization: { passes: 2, warmup: 3 },
    given: { policy: 'rl-tiny', dataset: { data: 'a.json' }, optimization: { updates: 9 } },
  });
});

it('keeps settings that have the names of today, and prefers these', () => {
  const today = { policy: 'mlp', model: { rows: 'steps' }, play: { rounds: 2 }, evaluation: { episodes: 0 } };
  expect(underNamesToday(today)).toEqual(today);
  expect(underNamesToday({ policy: 'mlp', model: { path: 'cnn' } })).toEqual({ policy: 'mlp' });
});

it('reads a preset of earlier versions as the one of today, with its form of observing', () => {
  expect(underNamesToday({ preset: 'tiny-image', given: { preset: 'tiny-image' } })).toEqual({
    preset: 'tiny',
    speech: { observe: 'image' },
    given: { preset: 'tiny', speech: { observe: 'image' } },
  });
  const both = { preset: 'tiny-image', speech: { observe: 'both', beams: 1 } };
  expect(underNamesToday(both)).toEqual({ ...both, preset: 'tiny' });
  for (const preset of ['tiny', 'paper', 'constructor', 7])
    expect(underNamesToday({ preset })).toEqual({ preset });
});

it('leaves an earlier name that has another meaning', () => {
  const isName = (path: string) => path === 'model.path';
  expect(nameToday('model.path', isName)).toBe('model.path');
  expect(underNamesToday({ model: { path: 'mlp' } }, isName)).toEqual({ model: { path: 'mlp' } });
});
