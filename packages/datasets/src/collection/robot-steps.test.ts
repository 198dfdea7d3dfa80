/** Robot demonstrations as a dataset. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tabletop } from '@emac/tabletop';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { collectEnvironment } from './collect-environment.ts';

const folder = temporaryFolder();
const asked = {
  env: 'tabletop/spatial',
  samples: 60,
  seed: 5,
  actionSteps: 8,
  labelNoise: 0.25,
  validation: 0.5,
};
const recordsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as PublishedRecord[];

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
    const [{ action, game_id, text_input }] = recordsIn(exact.dataset) as [PublishedRecord];
    const table = tabletop('tabletop/object');
    const [task, state] = game_id!.split('/').slice(2).map(Number) as [number, number];
    table.begin({ task, state });
    expect(action).toEqual(table.expert().map((value) => value + 0));
    expect(text_input).toBe(`In: What action should the robot take to ${table.text()}?\nOut:`);
  });
});
