/** The prompt of a step in Sokoban, and a perfect player's answer: JSON on one line, with short thoughts. */
import { requestedJson } from '../requested-json.ts';
import { cells } from './cell.ts';
import type { Sokoban } from './sokoban.ts';

export function sokobanPrompt(actions: readonly string[]): string {
  return [
    'You play Sokoban: push every box onto a target. You push a box by walking against it; you cannot pull one, nor push two, nor one into a wall.',
    'In letters: # is a wall, _ floor, O a target, X a box, √ a box on a target, P you, S you on a target.',
    'In a picture: black is a wall, white floor, pink a target, brown a box, orange a box on a target, green you, yellow you on a target.',
    `You can choose between ${actions.map((action) => `"${action}"`).join(', ')}.`,
    requestedJson,
  ].join(' ');
}

/** Thoughts name row and column, from 0, of the player, every box and every open target; they conclude with the first action of a shortest way. */
export function sokobanAnswer(game: Sokoban, action: number, concludes: boolean): string {
  const { room } = game.observe();
  const { data, shape } = room;
  const width = shape[1]!;
  const where = (name: string, ...wanted: readonly number[]): string[] =>
    Array.from(data, (cell, place) =>
      wanted.includes(cell) ? `${name} ${Math.floor(place / width)} ${place % width}` : '',
    ).filter((each) => each !== '');
  const seen = [
    ...where('player', cells.player, cells.playerOnTarget),
    ...where('box', cells.box),
    ...where('target', cells.target, cells.playerOnTarget),
  ].join(', ');
  const way = concludes ? game.solve() : null;
  const conclusion = concludes ? `; ${way?.[0] === undefined ? 'no way' : game.actions[way[0]]}` : '';
  return `{"thoughts": "${seen}${conclusion}", "action": "${game.actions[action]}"}`;
}
