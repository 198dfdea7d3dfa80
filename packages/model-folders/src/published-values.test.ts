/** A critic with a separate adapter is exported with its policy, and training starts from the export. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainPpo } from '@emac/experiment';
import type { GivenPpoConfig } from '@emac/settings';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportPublished } from './published-run.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();

/** Three updates of 4 · 2 steps; the first trains the critic alone. */
const given: GivenPpoConfig = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'rl-tiny',
  play: { environmentSteps: 24, environments: 4, stepsPerUpdate: 2 },
  optimization: {
    passes: 1,
    minibatchSize: 8,
    learningRate: 0.003,
    valueInitSteps: 1,
    valueSchedule: 'constant',
    valueClipNorm: 1,
    targetKl: null,
  },
  trained: { parts: 'lora', rank: 2 },
  // with 4 ReLUs all may be dead after three large steps, ending the gradient
  value: { hiddenWidths: [16], learns: 'adapter' },
  evaluation: { episodes: 0 },
  checkpointEvery: 1,
  keep: null,
};
const file = 'value_adapter.safetensors';
// after each update of 4 · 2 steps
const names = ['00000000', '00000009', '00000018', '00000027'];
const at = (run: string, checkpoint: string, name: string) =>
  readFileSync(join(run, 'checkpoints', checkpoint, name), 'base64');

describe('a run with an adapted critic', () => {
  let whole = '';
  beforeAll(async () => {
    whole = (await trainPpo({ ...given, out: join(folder, 'whole') })).folder;
  });

  it('is exported with its critic and started from, by its run or by the export', async () => {
    const out = join(folder, 'published');
    const { own } = exportPublished({ run: whole, out, model: null });
    expect(own).toContain(file);
    const last = readFileSync(join(out, 'step_3', file), 'base64');
    expect(last).toBe(at(whole, names[3]!, file));
    for (const init of [whole, join(out, 'step_3')]) {
      const play = { ...given.play, environmentSteps: 8 };
      const { folder: from } = await trainPpo({ ...given, play, init, out: join(folder, 'from') });
      expect(at(from, names[0]!, file)).toBe(last);
      expect(at(from, names[1]!, file)).not.toBe(last);
    }
  });

  it('is rejected as a start of another kind of critic, by its run or by the export', async () => {
    const published = join(folder, 'published-for-others');
    exportPublished({ run: whole, out: published, model: null });
    const out = join(folder, 'otherwise');
    for (const init of [whole, join(published, 'step_3')]) {
      const begun = trainPpo({ ...given, value: { hiddenWidths: [16], learns: 'head' }, init, out });
      await expect(begun).rejects.toMatchObject({
        code: 'usage',
        message: `--init ${init}: its critic was trained with --value-learns adapter, got head; give --value-learns adapter`,
      });
    }
    expect(existsSync(out)).toBe(false);
  });
});
