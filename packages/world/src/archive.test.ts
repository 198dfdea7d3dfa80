import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alsoLong } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findGames, loadGame } from './game/load-game.ts';
import { World } from './world.ts';

const data = process.env['EMAC_TEST_DATA'];

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const canUnpack = isThere('tar') && isThere('xz');

describe.skipIf(!data || !canUnpack)('all real games (needs EMAC_TEST_DATA, tar and xz)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emac-archive-'));
  beforeAll(() => {
    const archive = join(data ?? '', 'alfworld', 'json_2.1.1_train_validseen.tar.xz');
    execFileSync('tar', ['xJf', archive, '-C', folder]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([['valid_seen', 140], ...alsoLong([['train', 3553]] as const)] as const)(
    'of %s are won by their walkthrough exactly at its end, and no plan is shorter',
    (split, count) => {
      const { games } = findGames(join(folder, 'json_2.1.1', split));
      expect(games.length).toBe(count);
      for (const path of games) {
        const { walkthrough, ...game } = loadGame(path);
        if (!walkthrough) throw new Error(`${path}: no walkthrough`);
        const world = new World(game);
        // the walkthroughs come from an optimal planner, so a plan of another length would be wrong or not shortest
        expect([path, world.shortestPlan()?.length]).toEqual([path, walkthrough.length]);
        for (const command of walkthrough) {
          expect([path, world.won]).toEqual([path, false]);
          expect([path, command, world.perform(command)]).not.toEqual([path, command, null]);
        }
        expect([path, world.won]).toEqual([path, true]);
      }
    },
  );
});
