/** Paths of a configuration that is read again, and games that a later phase takes from the run before. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromDirectory } from './stored-config.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';
import { trainConfig } from './train-config.ts';

describe('a configuration that is read again', () => {
  it('resolves relative paths in the directory where the run began', () => {
    const directory = temporaryFolder();
    for (const name of ['games', 'before']) mkdirSync(join(directory, name));
    writeFileSync(join(directory, 'own.json'), '{}');
    const config = trainConfig({
      phase: 'dpo',
      model: { path: 'own.json' },
      start: { ref: 'before@best', init: 'gone' },
      play: { games: 'games' },
    });
    const { model, start, play } = fromDirectory(config, directory);
    expect([model.path, start.ref, start.init, play.games]).toEqual([
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
      const config = trainConfig({ phase: 'bc', start: { init }, play: { games: 'builtin:train' } });
      expect(fromDirectory(config, directory)).toEqual(config);
    }
  });
});
