import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createRun } from '@emac/runs';
import { afterEach, expect, it } from 'vitest';
import { comparePage } from './live-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'compare-'));
let minute = 0;
const now = () => new Date(60_000 * minute++);
afterEach(() => rmSync(folder, { recursive: true }));

function runOf(seed: number, config: object): string {
  const run = createRun({ out: folder, phase: 'bc', seed, config, versions: {}, now });
  run.metrics({ v: 1, kind: 'update', update: 0, loss: 0.5 + seed });
  run.metrics({ v: 1, kind: 'update', update: 1, loss: 0.25 });
  run.finish();
  return basename(run.folder);
}

it('counts seeds of equal settings, and marks runs that repeat a seed', () => {
  const lone = [runOf(0, { seed: 0, rounds: 1 })];
  const seeds = [runOf(0, { seed: 0, rounds: 2 }), runOf(1, { seed: 1, rounds: 2 })];
  const repeated = [runOf(7, { seed: 7, rounds: 3 }), runOf(7, { seed: 7, rounds: 3 })];
  const some = [...repeated, runOf(8, { seed: 8, rounds: 3 })];
  const page = (names: readonly string[]) => comparePage(folder, { names, chosen: [], now: now() });
  expect(page(lone)).not.toMatch(/seed/);
  expect(page(seeds)).toContain(`2 seeds of ${seeds[0]!}`);
  expect(page(repeated)).toContain(`2 runs (one seed) of ${repeated[0]!}`);
  expect(page(some)).toContain(`3 runs (2 seeds) of ${repeated[0]!}`);
});
