/** Games to play for the corpus: real train games (some in the older dialect) and generated ones. */
import { readFileSync } from 'node:fs';
import type { Random } from '@emac/core';
import {
  domainText,
  generateGame,
  grammarText,
  parseGame,
  World,
  type Game,
  type VisibleState,
} from '@emac/world';
import { aimlessCommand } from './plays.ts';

/** Of real train games every twentieth is held out of the corpus, to judge the model by. */
const heldOutShare = 20;

export function corpusGames(files: readonly string[]): string[] {
  return files.filter((_, index) => index % heldOutShare !== 0);
}

export function heldOutGames(files: readonly string[]): string[] {
  return files.filter((_, index) => index % heldOutShare === 0);
}

/** Share of generated games in rooms used once, so that the model reads rooms instead of memorizing them. */
const drawnRoomShare = 0.75;

function drawnRoom(random: Random): string {
  return `${random.pick(['K', 'K', 'L', 'B', 'W'])}${100 + random.integer(1_000_000)}`;
}

/** One game, half of them real. `files`: real train game files; empty: generated games only. */
export function drawGame(files: readonly string[], random: Random): Game {
  const dialect = random.uniform() < 0.25 ? 'put' : 'move';
  if (files.length === 0 || random.uniform() < 0.5) {
    const drawn = random.uniform() < drawnRoomShare ? { room: drawnRoom(random) } : {};
    const game = generateGame({ random, dialect, split: 'train', ...drawn });
    return parseGame(game.file, { id: game.id });
  }
  const content = JSON.parse(readFileSync(random.pick(files), 'utf8')) as Record<string, string>;
  if (dialect === 'move') return parseGame(content);
  const task = /Your task is to: ([^"\\]*)\./.exec(content['grammar']!)![1]!;
  return parseGame({
    ...content,
    pddl_domain: domainText('put'),
    grammar: grammarText(task, 'put'),
    walkthrough: null,
  });
}

/** States met while wandering through games, a few from each; `files` as for `drawGame`. */
export function* wanderedStates(files: readonly string[], random: Random): Generator<VisibleState, never> {
  for (;;) {
    const game = drawGame(files, random);
    for (let visit = 0; visit < 2; visit++) {
      const world = new World(game);
      let { admissible } = world.reset();
      const steps = 4 + random.integer(24);
      for (let step = 0; step < steps; step++) {
        ({ admissible } = world.step(aimlessCommand(admissible, { again: 0 }, random)));
        if (random.uniform() < 0.4) yield world.visible();
      }
    }
  }
}
