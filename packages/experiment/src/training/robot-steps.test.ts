/** Robot demonstrations as a dataset, and training of a model that generates action tokens. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectEnvironment, type DatasetRecord } from '@emac/datasets';
import { rlTiny } from '@emac/tiny-models';
import { tabletop } from '@emac/tabletop';
import { datasetStatistics, writeStatistics } from '@emac/vla';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const asked = {
  env: 'tabletop/spatial',
  samples: 60,
  seed: 5,
  actionSteps: 8,
  labelNoise: 0.25,
  validation: 0.5,
};
const recordsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as DatasetRecord[];

let made: Awaited<ReturnType<typeof collectEnvironment>>;
beforeAll(async () => {
  made = await collectEnvironment({ ...asked, out: join(folder, 'data') });
});

describe('demonstrations of a robot', () => {
  it('are steps from initial states for training, in eighths, with noisy labels counted', () => {
    const records = [made.dataset, made.validation!].flatMap(recordsIn);
    expect(records).toHaveLength(60);
    for (const { action, text_output, game_id } of records) {
      expect(action!.every((value) => Number.isInteger(value * 8))).toBe(true);
      expect(text_output).toBe(action!.join(' '));
      expect(Number(game_id!.split('/').at(-1))).toBeLessThan(40);
    }
    // 60 draws at ¼, deviation 3.4
    expect(made.noisyLabels).toBeGreaterThan(1);
    expect(made.noisyLabels).toBeLessThan(32);
    const games = [made.dataset, made.validation!].map(
      (path) => new Set(recordsIn(path).map(({ game_id }) => game_id)),
    );
    expect([...games[0]!].some((id) => games[1]!.has(id))).toBe(false);
  });

  it("begin with the controller's action at the named start", async () => {
    const exact = await collectEnvironment({
      env: 'tabletop/object',
      samples: 1,
      seed: 1,
      randomActions: 0,
      validation: 0,
      out: join(folder, 'exact'),
    });
    const [{ action, game_id, text_input }] = recordsIn(exact.dataset) as [DatasetRecord];
    const table = tabletop('tabletop/object');
    const [task, state] = game_id!.split('/').slice(2).map(Number) as [number, number];
    table.begin({ task, state });
    expect(action).toEqual(table.expert().map((value) => value + 0));
    expect(text_input).toBe(`In: What action should the robot take to ${table.text()}?\nOut:`);
  });

  it('are the same bytes for the same seed', async () => {
    const again = await collectEnvironment({ ...asked, out: join(folder, 'again') });
    expect(readFileSync(again.dataset)).toEqual(readFileSync(made.dataset));
  });

  it('refuse settings of other environments', async () => {
    const refused = (more: object) => collectEnvironment({ ...asked, ...more, out: join(folder, 'refused') });
    await expect(refused({ palette: 'legacy-wrapped' })).rejects.toThrow(/--palette/);
    await expect(refused({ expert: { kind: 'openai' }, labelNoise: 0 })).rejects.toThrow(
      /labels actions in words/,
    );
    await expect(refused({ env: 'gym_cards/EZPoints-v0' })).rejects.toThrow(
      /--action-steps: is for tabletop/,
    );
  });

  it('are learned by a model that has statistics of the suite, and refused by one that has none', async () => {
    const model = join(folder, 'model');
    cpSync(rlTiny, model, { recursive: true });
    const rows = Array.from({ length: 21 }, (_, row) => [...Array<number>(6).fill(row / 10 - 1), row % 2]);
    writeFileSync(
      join(model, 'dataset_statistics.json'),
      writeStatistics({ 'tabletop/spatial': datasetStatistics([{ actions: rows }]) }),
    );
    const learned = (path: string, out: string) =>
      train({
        phase: 'bc',
        model: { path },
        dataset: { data: made.dataset, epochs: 2 },
        trained: { parts: 'lora' },
        optimization: { learningRate: 1e-3 },
        evaluation: { games: 0 },
        out: join(folder, out),
      });
    const run = await learned(model, 'run');
    const losses = readFileSync(join(run.folder, 'metrics.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; loss: number })
      .filter(({ kind }) => kind === 'round')
      .map(({ loss }) => loss);
    // tokens that were never said before
    expect(losses[1]).toBeLessThan(losses[0]!);
    await expect(learned(rlTiny, 'without')).rejects.toThrow(/has no dataset_statistics.json/);
  });
});
