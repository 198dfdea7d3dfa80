/**
 * EZPoints and Points24: a formula is written token by token until `=`; it wins if it is worth the target and uses every card.
 * A formula is judged exactly, on fractions, and nothing in it runs together; with `compat` as the published code judges it, by Python's
 * `eval` of the tokens joined. Operators and brackets are taken without a check, as published.
 */
import type { Draws, Facts, Game, Outcome } from './game.ts';
import { exactValue } from './formula/exact.ts';
import { pythonValue } from './formula/python.ts';
import type { Token } from './formula/token.ts';
import { frameOfPoints } from './frame/points-frame.ts';
import { pointsPrompt } from './prompts.ts';

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

export interface PointsOptions {
  /** formulas are worth what Python's `eval` makes of them; default false */
  readonly compat?: boolean;
}

export interface Points24Options extends PointsOptions {
  /** jack, queen and king are 10; else 11, 12 and 13; default true */
  readonly faceCardsAre10?: boolean;
}

/** Two cards whose sum or product is 12. Actions: 1 … 10, `+`, `*`, `=`. */
export function ezPoints(options: PointsOptions = {}): Game<PointsState> {
  return pointsGame(ezPointsRules, options);
}

/** Four cards, not always solvable. Actions: 1 … 10 (or 13), `+`, `-`, `*`, `/`, `(`, `)`, `=`. */
export function points24({ faceCardsAre10 = true, ...options }: Points24Options = {}): Game<PointsState> {
  return pointsGame(points24Rules(faceCardsAre10), options);
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

function pointsGame(rules: PointsRules, { compat = false }: PointsOptions): Game<PointsState> {
  const tokens = tokensOf(rules);
  const isWorthTarget = (formula: readonly Token[]): boolean => {
    if (compat) return Number(pythonValue(formula)) === rules.target;
    const value = exactValue(formula);
    return value?.denominator === 1n && value.numerator === BigInt(rules.target);
  };
  return {
    id: rules.id,
    actions: tokens.map(String),
    deal: rules.deal,
    act(state, action) {
      if (state.formula.length > rules.longest) return { ...rejected(state), truncated: true };
      const token = tokens[action]!;
      if (typeof token === 'number' && !isAtHand(state, token)) return rejected(extended(state, ' '));
      if (token !== '=') return { ...undecided, state: extended(state, token) };
      const usesAll = state.formula.filter((each) => typeof each === 'number').length === state.cards.length;
      const won = usesAll && isWorthTarget(state.formula);
      return { state, reward: won ? 10 : -1, terminated: true, truncated: false, won };
    },
    facts,
    text,
    arrays: (state) => arrays(state, tokens, rules),
    frame: frameOfPoints,
    prompt: ({ formula }, options) => pointsPrompt(rules, formula, options),
  };
}

const undecided = { reward: 0, terminated: false, truncated: false, won: false } as const;

function rejected(state: PointsState): Outcome<PointsState> {
  return { ...undecided, reward: -1, state };
}

function extended(state: PointsState, token: Token): PointsState {
  return { ...state, formula: [...state.formula, token] };
}

/** Whether the formula uses the number less often than the cards have it. */
function isAtHand({ numbers, formula }: PointsState, wanted: number): boolean {
  const count = (tokens: readonly Token[]): number => tokens.filter((token) => token === wanted).length;
  return count(formula) < count(numbers);
}

function facts({ cards, numbers, formula }: PointsState): Facts {
  return { Cards: cards, Numbers: numbers, Formula: formula };
}

/** Lists as Python prints them. */
function text({ cards, numbers, formula }: PointsState): string {
  const quoted = cards.map((card) => `'${card}'`);
  return `Cards: [${quoted.join(', ')}]. Numbers: [${numbers.join(', ')}]. Current formula: ${formula.join('')}.`;
}

/** `numbers` [cards]; `formula` [longest + 1]: for each token the number of its action plus 1, one more than all for a blank, 0 behind the end. */
function arrays(
  { numbers, formula }: PointsState,
  tokens: readonly Token[],
  { longest }: PointsRules,
): ReturnType<Game<PointsState>['arrays']> {
  const written = new Int32Array(longest + 1);
  formula.forEach((token, place) => {
    written[place] = token === ' ' ? tokens.length + 1 : tokens.indexOf(token) + 1;
  });
  return {
    numbers: { shape: [numbers.length], data: Int32Array.from(numbers) },
    formula: { shape: [longest + 1], data: written },
  };
}

const suits = ['H', 'S', 'D', 'C'] as const;
const ranks = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'] as const;

/** One card of 2 … king; the other makes 12 with it, as a product in half of the cases where that can be. */
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
