/** A robot policy from training into VLA-RL's folders, then evaluated, trained further and merged. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTrainedParts } from '@emac/backbone';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { rlTiny } from '@emac/tiny-models';
import { datasetStatistics, writeStatistics } from '@emac/vla';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const model = join(folder, 'model');
const out = join(folder, 'published');
const only = (place: string): string => join(place, readdirSync(place)[0]!);
const learning =
  '--env tabletop/spatial/0 --steps 8 --max-steps 2 --num-processes 2 --num-steps 2 --batch-size 4 --lora-rank 2 --checkpoint-every 1 --eval-episodes 0'.split(
    ' ',
  );

let run = '';
let printed = '';
beforeAll(async () => {
  cpSync(rlTiny, model, { recursive: true });
  const actions = Array.from({ length: 11 }, (_, row) => [row / 5 - 1, row / 5 - 1, 0, 0, 0, 0, row % 2]);
  const statistics = datasetStatistics([{ actions }]);
  writeFileSync(join(model, 'dataset_statistics.json'), writeStatistics({ 'tabletop/spatial': statistics }));
  const runs = join(folder, 'runs');
  const { status, stderr } = await emac(['ppo', ...learning, '--policy', model, '--out', runs]);
  expect([status, stderr]).toEqual([0, expect.anything()]);
  run = only(runs);
  const exported = await emac(['ckpt', 'export', run, '--layout', 'published', '--out', out]);
  expect(exported.status).toBe(0);
  printed = exported.stdout;
});

describe('emac ckpt export --layout published', () => {
  it('lists its files, and those for emac alone', () => {
    expect(readdirSync(out).sort()).toEqual(
      ['best_return', 'dataset_statistics.json', 'step_0', 'step_1', 'step_2'].sort(),
    );
    expect(printed).toMatch(/^.*published: step_0, step_1, step_2, best_return \(step_[012]\)\n/);
    expect(printed).toContain(
      'for emac only: MANIFEST.json, projection.safetensors, state.json, value_head.safetensors\n',
    );
    const { target_modules: targets } = JSON.parse(
      readFileSync(join(out, 'step_2', 'adapter_config.json'), 'utf8'),
    ) as { target_modules: string[] };
    expect(targets.length).toBeGreaterThan(0);
  });

  it('evaluates, trains further and merges', async () => {
    const best = join(out, 'best_return');
    const evaluating = ['eval', '--env', 'tabletop/spatial/0', '--num-episodes', '1', '--json', '--ckpt'];
    const gamesOf = async (argv: readonly string[]) => {
      const { status, stdout } = await emac([...evaluating, ...argv]);
      expect(status).toBe(0);
      return (JSON.parse(stdout) as { games: unknown }).games;
    };
    const games = await gamesOf([best]);
    expect(games).toEqual(await gamesOf([`${run}@best`]));
    const on = join(folder, 'on');
    expect(
      (await emac(['ppo', ...withoutRank(learning), '--policy', model, '--init', best, '--out', on])).status,
    ).toBe(0);
    const merged = join(folder, 'merged');
    expect((await emac(['model', 'merge', model, best, merged, '--dtype', 'float32'])).status).toBe(0);
    const { r, alpha, date } = JSON.parse(
      readFileSync(join(merged, 'merge_metadata.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect([r, typeof alpha, date]).toEqual([2, 'number', expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)]);
    // a model does not record the run's step limit: the suite's limit applies, a tenth of LIBERO's
    expect(await gamesOf(['untouched', '--policy', merged])).toMatchObject([{ steps: 22 }]);
  });

  it.each([
    [[], 73, /published: already exists and is not empty/],
    [['--whole'], 64, /--layout: writes adapters, but --whole writes a model; give one of the two/],
    [['--link'], 64, /--link: belongs to --whole/],
  ])('rejects %j', async (more, expected, message) => {
    const asked = ['ckpt', 'export', run, '--layout', 'published', '--out', out, ...more];
    const { status, stderr } = await emac(asked);
    expect([status, stderr]).toEqual([expected, expect.stringMatching(message)]);
  });
});

/** An adapter that training goes on from has its rank. */
function withoutRank(words: readonly string[]): string[] {
  const at = words.indexOf('--lora-rank');
  return [...words.slice(0, at), ...words.slice(at + 2)];
}

describe('the published layout of a bc run', () => {
  it("is EMMA's: a readable .pth projection for each round, and the logs", async () => {
    const runs = join(folder, 'imitated');
    const made = join(folder, 'emma');
    const asked =
      '--rounds 2 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --batch-size 1 --probe none';
    const argv = ['train', '--method', 'bc', ...asked.split(' '), '--eval-episodes', '0', '--out', runs];
    expect((await emac(argv)).status).toBe(0);
    const trained = only(runs);
    const { stdout } = await emac(['ckpt', 'export', trained, '--layout', 'published', '--out', made]);
    expect(stdout).toMatch(/emma: emma_checkpoint_0\.pth, emma_checkpoint_1\.pth\n$/);
    expect(readdirSync(made).sort()).toEqual([
      'emma_checkpoint_0.pth',
      'emma_checkpoint_1.pth',
      'logging_results',
      'running_nb01.log',
    ]);
    const { projection } = loadCheckpoint(resolveCheckpoint(trained).folder);
    expect(readTrainedParts(join(made, 'emma_checkpoint_1.pth')).projection).toEqual(projection);
  });

  it('is rejected for a run with an adapter', async () => {
    const runs = join(folder, 'adapted');
    const asked =
      '--rounds 1 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --batch-size 1 --probe none';
    const trained = ['--train', 'lora', '--lora-rank', '2', '--eval-episodes', '0', '--out', runs];
    expect((await emac(['train', '--method', 'bc', ...asked.split(' '), ...trained])).status).toBe(0);
    const none = join(folder, 'none');
    const { status, stderr } = await emac([
      ...['ckpt', 'export', only(runs)],
      ...['--layout', 'published', '--out', none],
    ]);
    expect([status, stderr]).toEqual([64, expect.stringContaining('trains a projection alone')]);
    expect(existsSync(none)).toBe(false);
  });
});
