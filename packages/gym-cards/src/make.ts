/** The games by their published ids. */
import { EmacError } from '@emac/core';
import { blackjack, type BlackjackOptions } from './blackjack.ts';
import { cardGame, type CardGame } from './environment.ts';
import { numberLine, type NumberLineOptions } from './number-line.ts';
import { ezPoints, points24, type Points24Options } from './points.ts';

/** An option that the game has no use for changes nothing. */
export interface GymCardsOptions extends NumberLineOptions, Points24Options, BlackjackOptions {
  /** step limit of an episode; default 300, which no game reaches */
  readonly maxSteps?: number;
}

type Make = (options: GymCardsOptions, maxSteps: number) => CardGame;

const games = new Map<string, Make>([
  ['gym_cards/NumberLine-v0', (options, maxSteps) => cardGame(numberLine(options), maxSteps)],
  ['gym_cards/EZPoints-v0', (options, maxSteps) => cardGame(ezPoints(options), maxSteps)],
  ['gym_cards/Points24-v0', (options, maxSteps) => cardGame(points24(options), maxSteps)],
  ['gym_cards/Blackjack-v0', (options, maxSteps) => cardGame(blackjack(options), maxSteps)],
]);

/** The published ids. */
export const gymCardsIds: readonly string[] = [...games.keys()];

/** Default step limit. */
export const limit = 300;

/** The game of an id, `-v0` optional. Errors: `usage` for another id. */
export function makeGymCards(id: string, options: GymCardsOptions = {}): CardGame {
  const make = games.get(id) ?? games.get(`${id}-v0`);
  if (!make) throw new EmacError('usage', `gym-cards: has ${gymCardsIds.join(', ')}, got ${id}`);
  return make(options, options.maxSteps ?? limit);
}
