import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { handcodedCommand } from './expert/handcoded.ts';
import { findGames, loadGame } from './game/load-game.ts';
import type { Game } from './game/game.ts';
import { World } from './world.ts';

const data = process.env['EMAC_TEST_DATA'];
const root = join(data ?? '', 'alfworld');

interface Recorded {
  readonly game: string;
  readonly file: string;
  readonly step: number;
  readonly command: string | null;
  readonly obs: string;
  readonly admissible: readonly string[];
  readonly score: number;
  readonly done: boolean;
  readonly won: boolean;
}

describe.skipIf(!data)('real games (needs EMAC_TEST_DATA)', () => {
  it('equal the recorded states of the reference in text, admissible commands, score, done and won', () => {
    const lines = gunzipSync(readFileSync(join(root, 'golden_transcripts.jsonl.gz')))
      .toString('utf8')
      .trim()
      .split('\n');
    const games = new Map<string, Game>();
    let world: World | undefined;
    for (const line of lines) {
      const recorded = JSON.parse(line) as Recorded;
      const path = join(root, 'games', recorded.game, recorded.file);
      const game = games.get(path) ?? loadGame(path);
      games.set(path, game);
      if (recorded.step === 0) world = new World(game);
      const state = recorded.command === null ? world!.reset() : world!.step(recorded.command);
      const { obs: observation, admissible, score, done, won } = recorded;
      expect(state).toEqual({ observation, admissible, score, done, won });
    }
    expect(lines.length).toBe(3996);
  });

  const { games, leftOut } = data ? findGames(join(root, 'games')) : { games: [], leftOut: [] };

  it('are found, without unsolvable and unmarked ones', () => {
    expect(games.length).toBe(36);
    expect(leftOut).toEqual([{ reason: 'not solvable', count: 2 }]);
  });

  it('are won by their walkthrough with its last command, not before', () => {
    let walked = 0;
    for (const game of games.map(loadGame)) {
      if (!game.walkthrough) continue;
      const world = new World(game);
      const won = [world.reset().won, ...game.walkthrough.map((command) => world.step(command).won)];
      expect(won).toEqual([...game.walkthrough.map(() => false), true]);
      walked++;
    }
    expect(walked).toBe(18);
  });

  it('refuse the unsolvable one', () => {
    const path = 'unsolvable/look_at_obj_in_light-CellPhone-None-FloorLamp-219/trial_T20190908_044139_261907';
    expect(() => loadGame(join(root, 'games', path, 'game.2.1.1.tw-pddl'))).toThrow(/unsolvable game/);
  });

  it('name the agent in the commands of the game with three agents, a blank after it', () => {
    const world = new World(loadGame(join(root, 'games', 'multi-agent-poc', 'game.tw-pddl')));
    expect(world.reset().admissible).toContain('alice : go to fridge 1');
  });

  it('are all solved by the hand-coded expert within 50 steps, in both dialects', () => {
    for (const game of games.map(loadGame)) {
      const world = new World(game);
      const turns: { command: string; observation: string }[] = [];
      const history = { initial: world.reset().observation, turns };
      while (!world.won && turns.length < 50) {
        const command = handcodedCommand(history);
        if (command === null) break;
        turns.push({ command, observation: world.step(command).observation });
      }
      expect([game.id, world.won]).toEqual([game.id, true]);
    }
  });
});
