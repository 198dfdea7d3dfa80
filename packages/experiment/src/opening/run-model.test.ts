import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun, readRecord } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { modelOfRun } from './run-model.ts';

const folder = temporaryFolder();
let second = 0;
const now = () => new Date(1000 * second++);

function runOf(config: object): string {
  const run = createRun({ out: folder, phase: 'bc', seed: 0, config, versions: {}, now });
  run.checkpoint({
    step: 3,
    projection: new Map(),
    optimizer: new Map(),
    state: {},
    manifest: { baseModel: 'x', games: [] },
  });
  run.finish();
  return run.folder;
}

/** What stands for a model here: a folder with config.json. */
function modelAt(path: string): string {
  mkdirSync(path);
  writeFileSync(join(path, 'config.json'), '{}');
  return path;
}

describe('the model of a run', () => {
  const model = modelAt(join(folder, 'my-model'));

  it.each([
    ['of training', { model: { path: model } }, model],
    ['of PPO', { policy: model, model: { provider: 'cpu' } }, model],
    ['that is shipped', { model: { path: 'lewis-tiny' } }, 'lewis-tiny'],
    ['that is no model', { policy: 'mlp', model: {} }, null],
    ['that is gone', { model: { path: join(folder, 'gone') } }, null],
  ])('%s is the one that its record names', (_kind, config, expected) => {
    const run = runOf(config);
    const places = [run, `${run}@best`, `${run}@3`, join(run, 'checkpoints', '00000003')];
    expect(places.map(modelOfRun)).toEqual(places.map(() => expected));
  });

  it('is known where training began, wherever that was', () => {
    const run = runOf({ model: { path: 'here' } });
    modelAt(join(folder, 'here'));
    const record = join(run, 'run.json');
    const begunThere = { ...readRecord(run), workingDirectory: folder };
    writeFileSync(record, JSON.stringify(begunThere));
    expect(modelOfRun(run)).toBe(join(folder, 'here'));
  });

  it('is not known of a checkpoint that was copied elsewhere, or a run whose configuration was changed', () => {
    const run = runOf({ model: { path: model } });
    const copy = join(folder, 'copy');
    cpSync(join(run, 'checkpoints', '00000003'), copy, { recursive: true });
    expect(modelOfRun(copy)).toBeNull();
    writeFileSync(join(run, 'config.yaml'), 'model: {path: emma-tiny}\n');
    expect(modelOfRun(run)).toBeNull();
  });
});
