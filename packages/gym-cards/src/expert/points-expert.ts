/**
 * The best play in EZPoints and Points24: write a shortest winning formula, or `=` if there is none, since everything
 * else costs at least as much.
 */
import { tokensOf, type PointsRules, type PointsState } from '../points-rules.ts';
import type { Token } from '../formula/token.ts';
import { completion } from './completion.ts';

/** The tokens left before the `=`; null if nothing wins. */
export type PointsPlan = (state: Pick<PointsState, 'numbers' | 'formula'>) => readonly Token[] | null;

/** Caches the solutions of all hands met (at most 715, or 1820 with thirteen numbers), and the last request. */
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
