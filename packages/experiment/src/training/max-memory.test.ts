/** Caches under a memory limit: evictions cost time and change nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost, type MemoryLimit } from '@emac/opening';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();

async function bytesOf(name: string, memory: MemoryLimit | null): Promise<Record<string, string>> {
  const asked = {
    phase: 'bc',
    play: { rounds: 2, gamesPerRound: 2, maxSteps: 5, episodesPerUpdate: 2 },
    optimization: { updatesPerEpisode: 1 },
    speech: { beams: 2, observe: 'both' },
    trained: { parts: 'lora' },
    model: { contextMemory: 64 },
    evaluation: { episodes: 1 },
    out: join(folder, name),
  } as const;
  const { folder: run } = await train(asked, { ...plainHost(), ...(memory && { memory }) });
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' });
  const kept = names.filter((each) =>
    /^(metrics\.jsonl|eval\.json|buffers\/.*|checkpoints\/\d+\/.*\..*)$/.test(each),
  );
  return Object.fromEntries(
    kept.sort().map((each) => [each, readFileSync(join(run, each)).toString('base64')]),
  );
}

it('a run whose caches hold next to nothing has the bytes of one whose caches hold all', async () => {
  const never = new AbortController().signal;
  // features: 4 KB, less than two pictures of the shipped model; keys and values: 8 KB, less than one prompt
  const tight: MemoryLimit = { bytes: 2 ** 15, signal: never, fault: null, check() {}, require() {} };
  const usual = await bytesOf('usual', null);
  expect(Object.keys(usual).length).toBeGreaterThan(5);
  expect(await bytesOf('tight', tight)).toEqual(usual);
});
