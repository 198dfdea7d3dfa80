/**
 * The embodied half of the Python client against a stand-in for ALFWorld's environment, since AI2-THOR needs a display
 * and a download. Texts, frames and faults reach the run over both wires. The stand-in needs no Python packages.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeImage } from '@emac/images';
import { isLong } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFolder, pythonHas } from './python.ts';
import { playedByPython } from './remote-run.ts';
import { simulated, writeSimulatedGames } from './simulated-games.test.support.ts';

const isBuilt = existsSync(join(clientFolder, '../../apps/cli/dist/main.js'));
const patience = 900_000;

interface Labelled {
  readonly game_id: string;
  readonly image: string;
  readonly text_input: string;
  readonly text_output: string;
}

describe.skipIf(!isBuilt || !pythonHas())('the embodied environment (needs the build and Python 3.9)', () => {
  let folder: string;
  let ids: string[];
  let games: string[];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'emac-thor-'));
    ids = writeSimulatedGames(join(folder, 'games'));
    games = ['--env', 'thor', '--games', join(folder, 'games')];
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The hand-coded expert plays so many games once; returns its commands as a dataset. */
  async function collected(name: string, client: readonly string[], count = ids.length) {
    const out = join(folder, name);
    const flags = ['--num-games', String(count), '--max-steps', '30', '--out', out, '--verbose'];
    const { run, client: player } = await playedByPython(['collect', ...flags], client, simulated);
    expect(run.status, run.stderr + player.stderr).toBe(0);
    expect(player.status, player.stderr).toBe(0);
    const data = JSON.parse(readFileSync(join(out, 'train.json'), 'utf8')) as Labelled[];
    return {
      data,
      said: run.stderr,
      pixels: await Promise.all(data.map(({ image }) => pixelOf(join(out, image)))),
    };
  }

  /** The first pixel of a picture that has one colour. */
  async function pixelOf(path: string): Promise<number[]> {
    const { width, height, data } = await decodeImage(readFileSync(path));
    expect([width, height]).toEqual([300, 300]);
    return [...data.subarray(0, 3)];
  }

  it(
    'is won by the hand-coded expert in every task type, unchanged, over both wires',
    async () => {
      const { data, said, pixels } = await collected('version-2', games);
      expect(said.match(/: won in \d+ steps/g)).toHaveLength(ids.length);
      // "put", though the environment says that "move" were admissible
      expect(data.filter(({ text_output }) => text_output.startsWith('move'))).toEqual([]);
      // every episode begins in the middle of the room; red is 200, green 100, and blue grows with the place
      expect(pixels[0]).toEqual([200, 100, 0]);
      expect(new Set(pixels.map(([red, green]) => `${red} ${green}`))).toEqual(new Set(['200 100']));
      expect(Math.max(...pixels.map(([, , blue]) => blue!))).toBeGreaterThanOrEqual(30);
      // the client brings the games in the order drawn by the other run; two in `npm test`
      const drawn = [...new Set(data.map(({ game_id }) => game_id))].slice(0, isLong ? ids.length : 2);
      const order = drawn.flatMap((id) => ['--game', id]);
      const flags = ['--wire', 'published', ...games, ...order, '--retry-seconds', '0'];
      const there = await collected('published', flags, drawn.length);
      const played = data.filter(({ game_id }) => drawn.includes(game_id));
      expect(there.data).toEqual(played);
      expect(there.pixels).toEqual(pixels.slice(0, played.length));
    },
    patience,
  );

  it.runIf(isLong)(
    'loses one episode if its simulator fails',
    async () => {
      const broken = join(folder, 'broken');
      writeSimulatedGames(broken, { type: 'pick_two_obj_and_place', failsAt: 2 });
      const out = join(folder, 'evaluated');
      const argv = ['collect', '--max-steps', '30', '--out', out, '--verbose'];
      const { run, client } = await playedByPython(argv, ['--env', 'thor', '--games', broken], simulated);
      expect([run.status, client.status], run.stderr).toEqual([0, 0]);
      expect(run.stderr.match(/: won in \d+ steps/g)).toHaveLength(ids.length - 1);
      expect(client.stderr).toContain('SimulatorBroke: the connection to the simulator was lost');
    },
    patience,
  );
});
