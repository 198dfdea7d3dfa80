/**
 * EZPoints and Points24: a formula is written token by token until `=`; it wins if it equals the target and uses every
 * card. By default a formula is evaluated exactly, on fractions, and adjacent numbers are invalid. With `compat` it is
 * evaluated as in the published code, by Python's `eval` of the joined tokens. Operators and brackets are accepted
 * without a check, as published.
 */
import type { Look } from './answers.ts';
import { pointsExpert, pointsPlan, type PointsPlan } from './expert/points-expert.ts';
import type { Facts, Game, Outcome } from './game.ts';
import { exactValue } from './formula/exact.ts';
import { pythonValue } from './formula/python.ts';
import type { Token } from './formula/token.ts';
import { frameOfPoints } from './frame/points-frame.ts';
import {
  ezPointsRules,
  points24Rules,
  tokensOf,
  type PointsRules,
  type PointsState,
} from './points-rules.ts';
import { pointsPrompt } from './prompts.ts';

export interface PointsOptions {
  /** evaluate formulas like Python's `eval`; default false */
  readonly compat?: boolean;
}

export interface Points24Options extends PointsOptions {
  /** jack, queen and king are 10; else 11, 12 and 13; default true */
  readonly faceCardsAre10?: boolean;
}

/** Two cards with sum or product 12. Actions: 1 … 10, `+`, `*`, `=`. */
export function ezPoints(options: PointsOptions = {}): Game<PointsState> {
  return pointsGame(ezPointsRules, options);
}

/** Four cards, not always solvable. Actions: 1 … 10 (or 13), `+`, `-`, `*`, `/`, `(`, `)`, `=`. */
export function points24({ faceCardsAre10 = true, ...options }: Points24Options = {}): Game<PointsState> {
  return pointsGame(points24Rules(faceCardsAre10), options);
}

function pointsGame(rules: PointsRules, { compat = false }: PointsOptions): Game<PointsState> {
  const tokens = tokensOf(rules);
  const plan = pointsPlan(rules);
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
    expert: pointsExpert(rules, plan),
    look: (state) => look(state, plan),
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

/** The numbers in order, since a winning formula depends on nothing else, and the whole formula to be written. */
function look({ numbers, formula }: PointsState, plan: PointsPlan): Look {
  const written = formula.join('');
  const rest = plan({ numbers, formula });
  return {
    fields: { cards: numbers, 'current formula': written },
    seen: numbers.toSorted((left, right) => left - right).join(', '),
    conclusion: rest === null ? 'no way' : `${written}${rest.join('')}`,
  };
}

/** Lists as Python prints them. */
function text({ cards, numbers, formula }: PointsState): string {
  const quoted = cards.map((card) => `'${card}'`);
  return `Cards: [${quoted.join(', ')}]. Numbers: [${numbers.join(', ')}]. Current formula: ${formula.join('')}.`;
}

/**
 * `numbers` [cards]; `formula` [longest + 1]: per token its action number plus 1, the largest plus 1 for a blank, 0
 * after the end.
 */
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
