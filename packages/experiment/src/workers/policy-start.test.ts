/** The start sent to workers: everything needed to open the policy, and nothing for the trainer only. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@emac/queue';
import { checkpointFiles, loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { shareStart, withStart } from '@emac/workers';
import { expect, it } from 'vitest';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';

const folder = temporaryFolder();

it('a checkpoint is complete except for optimizer moments, and is checked', async () => {
  const { folder: run } = await trainPpo({
    env: 'MiniGrid-Empty-5x5-v0',
    policy: 'mlp',
    play: { environmentSteps: 16, environments: 2, stepsPerUpdate: 8 },
    evaluation: { episodes: 0 },
    out: join(folder, 'runs'),
  });
  const shared = sharedFolder(join(folder, 'shared'));
  const hash = shareStart(shared, run);
  const own = loadCheckpoint(resolveCheckpoint(run).folder);
  expect(own.optimizer!.size).toBeGreaterThan(0);
  expect(shared.has(own.manifest.files[checkpointFiles.optimizer]!.sha256)).toBe(false);
  const { optimizer: _moments, manifest: _own, ...content } = own;
  await withStart(shared, hash, async (from) => {
    const { manifest, ...found } = loadCheckpoint(resolveCheckpoint(from!).folder);
    expect(found).toEqual(content);
    expect(manifest.baseModel).toBe(own.manifest.baseModel);
    expect(readdirSync(from!).sort()).toEqual(['MANIFEST.json', ...Object.keys(manifest.files)].sort());
  });
  writeFileSync(join(resolveCheckpoint(run).folder, checkpointFiles.state), '{}');
  expect(() => shareStart(shared, run)).toThrow(/state\.json/);
});

it('a foreign adapter comes without other files of its folder', async () => {
  const place = join(folder, 'adapter');
  mkdirSync(place);
  const files = {
    'adapter_config.json': '{}',
    'adapter_model.safetensors': 'weights',
    'optimizer.pt': 'moments',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  const shared = sharedFolder(join(folder, 'shared adapter'));
  await withStart(shared, shareStart(shared, place), async (from) => {
    expect(readdirSync(from!).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    expect(readFileSync(join(from!, 'adapter_model.safetensors'), 'utf8')).toBe('weights');
  });
});
