/**
 * The published packages in a separate process take the same walks: observations, texts, rewards, facts and ends are equal.
 * `FAST_CHECK_RUNS=100` compares 10⁵ steps.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { frozenLakeIds } from './frozen-lake/variant.ts';
import { sokobanIds } from './sokoban/variant.ts';
import { lakeTranscript, lakeWalk, sokobanTranscript, sokobanWalk } from './walks.test.data.ts';

const python = process.env['EMAC_PYTHON'] || 'python3';
const script = fileURLToPath(new URL('../../../tools/reference/grid_games_reference.py', import.meta.url));
const runs = Number(process.env['FAST_CHECK_RUNS'] ?? 1);

function has(check: string): boolean {
  return spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0;
}

function published(walks: readonly object[]): string[][] {
  const input = walks.map((walk) => `${JSON.stringify(walk)}\n`).join('');
  const { stdout, stderr, status } = spawnSync(python, [script], {
    input,
    maxBuffer: 2 ** 30,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { steps: string[] }).steps);
}

const hasGymnasium = has('import gymnasium; assert gymnasium.__version__ == "1.4.0"');

describe.skipIf(!hasGymnasium)('Gymnasium (needs gymnasium 1.4.0 in EMAC_PYTHON)', () => {
  const others = [
    'FrozenLake-v1/random-7/success-0.35',
    'FrozenLake8x8-v1/success-0.9',
    'FrozenLake-v1/random-2',
  ];

  it.each([...frozenLakeIds, ...others])('does the same in %s', { timeout: 1_800_000 }, (id) => {
    const walks = Array.from({ length: 2 * runs }, (_, seed) => lakeWalk(id, seed, 60));
    for (const [place, steps] of published(walks).entries())
      expect(lakeTranscript(walks[place]!), JSON.stringify(walks[place])).toEqual(steps);
  });
});

const hasSokoban = has('import gym_sokoban.envs');
const hasRagen = hasSokoban && process.env['EMAC_RAGEN'] !== undefined;

function compareRooms(id: string, count: number): void {
  const walks = Array.from({ length: count }, (_, seed) => sokobanWalk(id, seed, 60));
  for (const [place, steps] of published(walks).entries())
    expect(sokobanTranscript(walks[place]!), JSON.stringify(walks[place])).toEqual(steps);
}

describe.skipIf(!hasSokoban)('gym-sokoban (needs gym-sokoban 0.0.6 in EMAC_PYTHON)', () => {
  const ids = sokobanIds.filter((id) => id.includes('small'));

  it.each(ids)('does the same in %s', { timeout: 1_800_000 }, (id) =>
    compareRooms(id, 2 * Math.min(runs, 5)),
  );
});

describe.skipIf(!hasRagen)('RAGEN (needs gym-sokoban 0.0.6, and its room maker in EMAC_RAGEN)', () => {
  const ids = [...sokobanIds.filter((id) => !id.includes('small')), 'Sokoban-5x7-1', 'Sokoban-9x6-1/depth-7'];

  it.each(ids)('does the same in %s', { timeout: 1_800_000 }, (id) => compareRooms(id, 8 * runs));
});
