/** A best move in EZPoints and Points24: the next token of a shortest formula that wins, or `=` where none does, since all else costs no less. */
import { tokensOf, type PointsRules, type PointsState } from '../points-rules.ts';
import type { Token } from '../formula/token.ts';
import { completion } from './completion.ts';

/** Keeps the solutions of the hands it has met, at most the 715 (1820 with thirteen numbers) there are. */
export function pointsExpert(rules: PointsRules): (state: PointsState) => number {
  const tokens = tokensOf(rules);
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
  return ({ numbers, formula }) => {
    const whole = solution(numbers);
    if (whole === null) return tokens.indexOf('=');
    const isBegun = formula.every((token, place) => token === whole[place]);
    const rest = isBegun ? whole.slice(formula.length) : completion(rules, { numbers, formula });
    return tokens.indexOf(rest?.[0] ?? '=');
  };
}
