/**
 * The published package in a separate process takes the same walks: observations, missions, rewards, ends and every
 * third frame are equal. `FAST_CHECK_RUNS=50` compares 100 seeds of every id.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { miniGridIds } from './catalogue.ts';
import { randomWalk, transcriptOf, type Walk } from './transcript.test.data.ts';

const python = process.env['EMAC_PYTHON'] || 'python3';
const script = fileURLToPath(new URL('../../../tools/reference/minigrid_reference.py', import.meta.url));
const check = 'import minigrid; assert minigrid.__version__ in ("3.1.0", "3.2.0")';
const isThere = spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0;
const seeds = 2 * Number(process.env['FAST_CHECK_RUNS'] ?? 1);

function published(walks: readonly Walk[]): string[][] {
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

describe.skipIf(!isThere)('the published package (needs minigrid 3.1.0 or 3.2.0 in EMAC_PYTHON)', () => {
  it.each(miniGridIds)('does the same in %s', { timeout: 1_800_000 }, (id) => {
    const walks = Array.from({ length: seeds }, (_, seed) => randomWalk(id, seed, 45));
    for (const [place, steps] of published(walks).entries())
      expect(transcriptOf(walks[place]!), JSON.stringify(walks[place])).toEqual(steps);
  });
});
