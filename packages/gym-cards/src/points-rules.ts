/** What EZPoints and Points24 deal, and what can be written in them. */
import type { Draws } from './game.ts';
import type { Token } from './formula/token.ts';

export interface PointsState {
  /** suit and rank, e.g. `H7`, `CT`, `DK`; one for each number */
  readonly cards: readonly string[];
  readonly numbers: readonly number[];
  readonly formula: readonly Token[];
}

/** What sets one game of points apart from another. */
export interface PointsRules {
  readonly id: string;
  readonly target: number;
  /** the numbers that can be written are 1 to this */
  readonly highest: number;
  readonly operators: readonly string[];
  /** a formula of more tokens takes no action any more */
  readonly longest: number;
  deal(draws: Draws): PointsState;
}

export const ezPointsRules: PointsRules = {
  id: 'gym_cards/EZPoints-v0',
  target: 12,
  highest: 10,
  operators: ['+', '*', '='],
  longest: 5,
  deal: dealtPair,
};

export function points24Rules(faceCardsAre10: boolean): PointsRules {
  return {
    id: 'gym_cards/Points24-v0',
    target: 24,
    highest: faceCardsAre10 ? 10 : 13,
    operators: ['+', '-', '*', '/', '(', ')', '='],
    longest: 20,
    deal: (draws) => dealtFour(draws, faceCardsAre10),
  };
}

/** The numbers, then the operators. */
export function tokensOf({ highest, operators }: PointsRules): readonly Token[] {
  return [...Array.from({ length: highest }, (_, place) => place + 1), ...operators];
}

const suits = ['H', 'S', 'D', 'C'] as const;
const ranks = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'] as const;

/** One card of 2 … king; the other makes 12 with it, as a product in half of the possible cases. */
function dealtPair(draws: Draws): PointsState {
  const rank = draws.integers(2, 14);
  const first = cardName(draws, rank);
  const number = Math.min(rank, 10);
  const canMultiply = 12 % number === 0;
  const other = canMultiply && draws.random() <= 0.5 ? 12 / number : 12 - number;
  const second = cardName(draws, other);
  const [cards, numbers] = [
    [first, second],
    [number, other],
  ];
  return draws.random() <= 0.5
    ? { cards: cards.reverse(), numbers: numbers.reverse(), formula: [] }
    : { cards, numbers, formula: [] };
}

function dealtFour(draws: Draws, faceCardsAre10: boolean): PointsState {
  const drawn = Array.from({ length: 4 }, () => draws.integers(1, 14));
  const cards = drawn.map((rank) => cardName(draws, rank));
  return { cards, numbers: drawn.map((rank) => (faceCardsAre10 ? Math.min(rank, 10) : rank)), formula: [] };
}

/** Draws the suit. */
function cardName(draws: Draws, rank: number): string {
  return `${suits[draws.integers(0, suits.length)]!}${ranks[rank - 1]!}`;
}
