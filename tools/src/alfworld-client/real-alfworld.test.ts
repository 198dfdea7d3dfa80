/**
 * ALFWorld itself, the Python package with TextWorld, plays real games for a run over both wires. Observations, labels,
 * metrics and checkpoints equal those of our own engine, byte for byte.
 */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolder } from '@emac/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differences } from '../kill-harness/compare-runs.ts';
import { clientFolder, pythonHas, startEmac } from './python.ts';
import { playedByPython, runIn } from './remote-run.ts';

const data = process.env['EMAC_TEST_DATA'];
const isBuilt = existsSync(join(clientFolder, '../../apps/cli/dist/main.js'));
const canPlay = data && isBuilt && pythonHas('alfworld', 'textworld.envs.pddl', 'fast_downward');
const needs = 'needs EMAC_TEST_DATA, the build, and alfworld 0.4.2 in EMAC_PYTHON';

// two rounds of three games of three task types; the student wins some, goes in circles in others
const training = [
  ...'train --phase bc --rounds 2 --games-per-round 3 --max-steps 12 --updates-per-episode 1 --beams 1'.split(
    ' ',
  ),
  ...'--eval-games 0 --observe text --keep all'.split(' '),
];

/** Games in the dialect of one version of the data, under their usual names. */
function gamesOf(version: '2.1.1' | '2.1.2', folder: string): string {
  const from = join(data!, 'alfworld/games/valid_seen');
  for (const task of readdirSync(from))
    for (const trial of readdirSync(join(from, task))) {
      const to = join(folder, version, task, trial);
      createFolder(to);
      copyFileSync(join(from, task, trial, `game.${version}.tw-pddl`), join(to, 'game.tw-pddl'));
    }
  return join(folder, version);
}

describe.skipIf(!canPlay)(`ALFWorld as the world of a run (${needs})`, () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'emac-alfworld-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function ownRun(name: string, argv: readonly string[]): Promise<string> {
    const { status, stderr } = await startEmac([...argv, '--out', join(folder, name)]).ended;
    expect(status, stderr).toBe(0);
    return runIn(join(folder, name));
  }

  async function remoteRun(
    name: string,
    argv: readonly string[],
    client: readonly string[],
  ): Promise<string> {
    const { run, client: player } = await playedByPython([...argv, '--out', join(folder, name)], client);
    expect(run.status, run.stderr + player.stderr).toBe(0);
    expect(player.status, player.stderr).toBe(0);
    return runIn(join(folder, name));
  }

  describe.each([
    ['put … in/on', '2.1.1'],
    ['move … to', '2.1.2'],
  ] as const)('in the dialect %s', (_dialect, version) => {
    it('gives the same run over version 2', async () => {
      const games = gamesOf(version, folder);
      const own = await ownRun(`own-${version}`, [...training, '--games', games]);
      const remote = await remoteRun(`remote-${version}`, training, ['--games', games]);
      // steps as hashes, for a run that is killed; only a remote world has them
      expect(differences(own, remote)).toEqual(['world.jsonl']);
      expect(readFileSync(join(own, 'metrics.jsonl'), 'utf8')).toContain('"round":1');
    }, 1_800_000);

    it('gives the same run over the published wire, except for the list of games while they arrive', async () => {
      const games = gamesOf(version, folder);
      const blind = [...training, '--probe', 'none'];
      const own = await ownRun(`own-${version}-published`, [...blind, '--games', games]);
      // over the wire the client decides the order; use the order drawn by the other run
      const drawn = gamesPlayed(own).flatMap((id) => ['--game', id]);
      const flags = ['--wire', 'published', '--games', games, ...drawn, '--retry-seconds', '0'];
      const remote = await remoteRun(`remote-${version}-published`, blind, flags);
      const lists = differences(own, remote).filter((name) => name !== 'world.jsonl');
      expect(lists.filter((name) => !name.endsWith('MANIFEST.json'))).toEqual([]);
      // before the first game, and after the first and the second of three
      expect(lists.length).toBeLessThanOrEqual(3);
    }, 1_800_000);
  });
});

/** Ids of a run's games, in the order first played. */
function gamesPlayed(run: string): string[] {
  const files = readdirSync(join(run, 'episodes')).sort();
  const starts = files.map(
    (name) => JSON.parse(readFileSync(join(run, 'episodes', name), 'utf8').split('\n', 1)[0]!) as Start,
  );
  return [...new Set(starts.map(({ taskId }) => taskId))];
}

interface Start {
  readonly taskId: string;
}
