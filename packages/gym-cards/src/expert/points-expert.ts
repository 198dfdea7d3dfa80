/**
 * The best play in EZPoints and Points24: to write a shortest formula that wins, and `=` where none does, since all else costs no less.
 */
import { tokensOf, type PointsRules, type PointsState } from '../points-rules.ts';
import type { Token } from '../formula/token.ts';
import { completion } from './completion.ts';

/** What is still to be written before the `=`; null where nothing wins. */
export type PointsPlan = (state: Pick<PointsState, 'numbers' | 'formula'>) => readonly Token[] | null;

/** Keeps the solutions of the hands it has met, at most the 715 (1820 with thirteen numbers) there are, and the last it was asked for. */
export function pointsPlan(rules: PointsRules): PointsPlan {
  const solutions = new Map<string, readonly Token[] | null>();
  const solution = (numbers: readonly number[]): readonly Token[] | null => {
    const sorted = [...numbers].sort((left, right) => left - right);
    const key = sorted.join(' ');
    const known = solutions.get(key);
    if (known !== undefined) return known;
    const found = completion(rules, { numbers: sorted, formula: [] });
    solutions.set(key, found);
    return found;
  };
  const rest: PointsPlan = ({ numbers, formula }) => {
    const whole = solution(numbers);
    if (whole === null) return null;
    const isBegun = formula.every((token, place) => token === whole[place]);
    return isBegun ? whole.slice(formula.length) : completion(rules, { numbers, formula });
  };
  // a state is asked about several times: for a move, for thoughts, for a score
  let last: { readonly key: string; readonly tokens: readonly Token[] | null } | null = null;
  return (state) => {
    const key = `${state.numbers};${state.formula}`;
    if (last?.key !== key) last = { key, tokens: rest(state) };
    return last.tokens;
  };
}

/** A best move: the plan's next token. */
export function pointsExpert(rules: PointsRules, plan: PointsPlan): (state: PointsState) => number {
  const tokens = tokensOf(rules);
  return (state) => tokens.indexOf(plan(state)?.[0] ?? '=');
}
