/** The games of a second phase. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import { trainConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { gamesOf, playedBefore, solvedBy } from './start.ts';

const gamesAgainst = (ref: string, games: string | null = null) =>
  gamesOf(trainConfig({ phase: 'dpo', start: { ref }, games }));

/** A run that trained on these games, with one checkpoint. */
function runOn(games: string, out: string, state: object = {}): string {
  const now = () => new Date(0);
  const run = createRun({ out, phase: 'bc', seed: 0, config: { play: { games } }, versions: {}, now });
  run.checkpoint(
    {
      step: 1,
      projection: new Map(),
      optimizer: new Map(),
      state: { ...state },
      manifest: { baseModel: 'm', games: [] },
    },
    { loss: 1 },
  );
  run.finish();
  return run.folder;
}

describe('the games of preference training', () => {
  it("are the reference run's by default", () => {
    const run = runOn('builtin:valid_seen', temporaryFolder());
    for (const ref of [run, `${run}@best`, `${run}@latest`, join(run, 'checkpoints', '00000001')])
      expect(gamesAgainst(ref)).toBe('builtin:valid_seen');
    expect(gamesAgainst(run, 'builtin:train')).toBe('builtin:train');
  });

  it("are the run's also if a folder above it has an @ in its name", () => {
    const out = join(temporaryFolder(), 'me@home');
    mkdirSync(out);
    expect(gamesAgainst(runOn('builtin:valid_seen', out))).toBe('builtin:valid_seen');
  });

  it('are the environment’s own for a published file as reference', () => {
    const published = join(temporaryFolder(), 'checkpoint.pth');
    writeFileSync(published, '');
    expect(gamesAgainst(published)).toBeNull();
    expect(gamesAgainst('emma-tiny')).toBeNull();
  });
});

describe('games that a policy has won', () => {
  it('are those of all its phases', () => {
    const state = { training: { solved: ['c', 'a'] }, solvedBefore: ['a', 'b'] };
    expect(solvedBy(runOn('builtin:train', temporaryFolder(), state))).toEqual(['a', 'b', 'c']);
    for (const fresh of [null, 'model', 'random', 'emma-tiny']) expect(solvedBy(fresh)).toEqual([]);
  });
});

describe("games played by a reference's run", () => {
  it('include those won, and are null if the reference played none', () => {
    const run = runOn('builtin:train', temporaryFolder(), { training: { solved: ['a'] } });
    const played = { seen: ['a', 'b'], solved: ['a'] };
    expect(playedBefore(run, played)).toEqual({ seen: new Set(['a', 'b']), solved: new Set(['a']) });
    expect(playedBefore(runOn('builtin:train', temporaryFolder()), played)).toBeNull();
    expect(playedBefore('emma-tiny', played)).toBeNull();
  });
});
