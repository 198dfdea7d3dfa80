/** The Python client's messages, and its behaviour when a run goes away. Its games are those of a stand-in. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differences } from '../kill-harness/compare-runs.ts';
import { clientFolder, pythonHas, startEmac, startPython } from './python.ts';
import { playedByPython, runIn } from './remote-run.ts';
import { simulated, writeSimulatedGames } from './simulated-games.test.support.ts';

const isBuilt = existsSync(join(clientFolder, '../../apps/cli/dist/main.js'));
const patience = 900_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(!pythonHas())('the Python client (needs Python 3.9)', () => {
  let folder: string;
  let games: string[];
  let nobody: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'emac-client-'));
    writeSimulatedGames(join(folder, 'games'));
    games = ['--env', 'thor', '--games', join(folder, 'games')];
    nobody = `http://127.0.0.1:${await freePort()}`;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const said = async (...argv: readonly string[]) => {
    const { status, stdout, stderr } = await startPython(['play.py', ...argv], { env: simulated }).ended;
    return { status, stdout, stderr };
  };

  it('checks everything before a long run, and names missing parts', async () => {
    // the stand-in is playable, but is not the package; nobody answers
    const { status, stdout } = await said('--check', '--connect', nobody, ...games);
    expect(status).toBe(2);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^ok {7}Python: 3\./);
    expect(lines[1]).toMatch(
      /^missing {2}packages: .* does not import .*pip install -r requirements-thor\.txt$/,
    );
    expect(lines[2]).toBe('ok       games: 6, the first is look_at_obj_in_light-Mug-None-DeskLamp-1/trial_1');
    expect(stdout).toContain('ok       a game: `look` says: You are in the middle of a room.');
    expect(stdout).toMatch(
      /^missing {2}the run: .* does not answer \(.*\); start `emac train --world http` first$/m,
    );
    expect(lines.at(-1)).toMatch(/^missing: \d of 8$/);
  });

  it('refuses contradictory flags, and names missing files', async () => {
    const misplaced = await said('--connect', nobody, '--rounds', '2');
    expect([misplaced.status, misplaced.stderr.includes('--rounds: belongs to --wire published')]).toEqual([
      64,
      true,
    ]);
    expect((await said('--connect', 'nowhere', ...games)).status).toBe(64);
    const noGames = await said('--connect', nobody, '--games', join(folder, 'none'));
    expect([noGames.status, noGames.stderr.includes('does not exist')]).toEqual([66, true]);
    const noGame = await said('--connect', nobody, ...games, '--game', 'a/b');
    expect([noGame.status, noGame.stderr.includes('--game a/b: is not one of the 6 games')]).toEqual([
      66,
      true,
    ]);
  });

  it.each(['2', 'published'])('reports that nobody answers: wire %s', async (wire) => {
    const { status, stderr } = await said(
      '--connect',
      nobody,
      '--wire',
      wire,
      '--retry-seconds',
      '0',
      ...games,
    );
    expect([status, stderr.includes('does not answer')]).toEqual([69, true]);
  });

  it.runIf(isLong && isBuilt)(
    'continues with a run that was killed and resumed, to the same bytes (needs the build)',
    async () => {
      const argv = [
        ...'train --phase bc --rounds 2 --games-per-round 2 --max-steps 3 --updates-per-episode 1'.split(' '),
        ...'--beams 1 --eval-games 0 --probe none'.split(' '),
      ];
      const undisturbed = join(folder, 'undisturbed');
      const { run, client } = await playedByPython([...argv, '--out', undisturbed], games, simulated);
      expect([run.status, client.status], run.stderr + client.stderr).toEqual([0, 0]);
      const out = join(folder, 'killed');
      const port = String(await freePort());
      const address = `http://127.0.0.1:${port}`;
      // it is there before the run
      const playing = startPython(['play.py', '--connect', address, '--retry-seconds', '800', ...games], {
        env: simulated,
      });
      const killed = await startEmac([...argv, '--world', 'http', '--port', port, '--out', out], {
        env: { EMAC_FAILPOINT: 'acting:7' },
      }).ended;
      expect(killed.status, killed.stderr).toBeNull();
      const resumed = await startEmac(['train', '--resume', runIn(out)]).ended;
      expect(resumed.status, resumed.stderr).toBe(0);
      const player = await playing.ended;
      expect(player.status, player.stderr).toBe(0);
      expect(player.stderr).toContain('says hello again');
      expect(differences(runIn(undisturbed), runIn(out)).filter((name) => !isOfAttempts(name))).toEqual([]);
    },
    patience,
  );
});

/** The record of steps, where repeated ones appear twice. */
function isOfAttempts(name: string): boolean {
  return name === 'world.jsonl';
}
