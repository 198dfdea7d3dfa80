/**
 * The rules in a second program, `tools/reference/gym_cards_rules.py`: its recorded output, and its current output if
 * Python is there.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NumpyRandom } from '@emac/numpy-random';
import { describe, expect, it } from 'vitest';
import { blackjack } from './blackjack.ts';
import { totalOf, type BlackjackState } from './blackjack-hand.ts';
import { exactValue } from './formula/exact.ts';
import { pythonValue } from './formula/python.ts';
import type { Token } from './formula/token.ts';
import type { Game } from './game.ts';
import { numberLine, type NumberLineState } from './number-line.ts';
import { ezPoints, points24 } from './points.ts';
import type { PointsState } from './points-rules.ts';

interface Walks {
  readonly id: string;
  readonly compat: boolean;
  readonly transitions: number;
  readonly won: number;
  readonly sha256: string;
}

type Sensible<State> = (state: State, whims: NumpyRandom) => number;

function sensibleInPoints({ numbers, formula }: PointsState, whims: NumpyRandom, operators: number): number {
  const rest = [...numbers];
  for (const token of formula) if (typeof token === 'number') rest.splice(rest.indexOf(token), 1);
  const last = formula.at(-1);
  if (typeof last !== 'number' && last !== ')' && rest.length > 0)
    return rest[whims.integers(0, rest.length)]! - 1;
  return rest.length > 0 ? 10 + whims.integers(0, operators - 1) : 9 + operators;
}

/** A game once for every seed, three quarters of the actions sensible, as the other program plays it. */
function walked<State>(
  game: Game<State>,
  sensible: Sensible<State>,
  seeds: readonly number[],
): Omit<Walks, 'compat'> {
  const digest = createHash('sha256');
  let [transitions, won] = [0, 0];
  const note = (...transition: unknown[]): void => {
    digest.update(`${JSON.stringify([...transition])}\n`);
    transitions++;
    if ((transition[1] as number) > 0) won++;
  };
  for (const seed of seeds) {
    const [draws, whims] = [NumpyRandom.fromSeed(seed), NumpyRandom.fromSeed(1_000_000 + seed)];
    let state = game.deal(draws);
    note(null, 0, false, false, game.facts(state));
    for (let hasEnded = false; !hasEnded;) {
      const isSensible = whims.integers(0, 4) < 3;
      const action = isSensible ? sensible(state, whims) : whims.integers(0, game.actions.length);
      const outcome = game.act(state, action, draws);
      state = outcome.state;
      hasEnded = outcome.terminated || outcome.truncated;
      note(action, outcome.reward, outcome.terminated, outcome.truncated, game.facts(state));
    }
  }
  return { id: game.id, transitions, won, sha256: digest.digest('hex') };
}

function allWalks(seeds: readonly number[]): Walks[] {
  return [0, 1, 2, 3].flatMap((place) =>
    [false, true].map((compat) => {
      const { id, ...rest } = [
        () => walked(numberLine(), ({ current, target }: NumberLineState) => Number(current < target), seeds),
        () => walked(ezPoints({ compat }), (state, whims) => sensibleInPoints(state, whims, 3), seeds),
        () => walked(points24({ compat }), (state, whims) => sensibleInPoints(state, whims, 7), seeds),
        () =>
          walked(blackjack({ compat }), ({ player }: BlackjackState) => Number(totalOf(player) < 17), seeds),
      ][place]!();
      return { id, compat, ...rest };
    }),
  );
}

/** Tokens, then their exact value, and Python's. */
type Formula = readonly [Token[], string | null, number | 'other' | null];

function compare([tokens, exact, python]: Formula): void {
  const value = exactValue(tokens);
  const text = value && `${value.numerator}${value.denominator === 1n ? '' : `/${value.denominator}`}`;
  expect(text, tokens.join('')).toBe(exact);
  if (python === 'other') return;
  const worth = pythonValue(tokens);
  if (python === null || worth === null) expect(worth, tokens.join('')).toBe(python);
  // a power of floats may differ in its last digit
  else expect(Math.abs(Number(worth) - python) <= 1e-12 * Math.abs(python), tokens.join('')).toBe(true);
}

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/${name}.jsonl`, import.meta.url), 'utf8');
const rows = <T>(text: string): T[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
const seeds = (first: number, end: number): number[] =>
  Array.from({ length: end - first }, (_, place) => first + place);

describe('the rules of a second program', () => {
  it('give the same transitions from 100 seeds', () => {
    expect(allWalks(seeds(0, 100))).toEqual(rows<Walks>(fixture('walks')));
  });

  it('give formulas the same worth', () => {
    const formulas = rows<Formula>(fixture('formulas'));
    expect(formulas).toHaveLength(150);
    for (const formula of formulas) compare(formula);
  });
});

const python = process.env['EMAC_PYTHON'] || 'python3';
const program = fileURLToPath(new URL('../../../tools/reference/gym_cards_rules.py', import.meta.url));
const ask = (...argv: string[]): string => {
  const { status, stdout, stderr } = spawnSync(python, [program, ...argv], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return stdout;
};
const hasPython =
  spawnSync(python, ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'ignore' }).status ===
  0;

describe.skipIf(!hasPython)('the second program itself (needs Python 3.9 in EMAC_PYTHON)', () => {
  it('gives the same transitions from other seeds', () => {
    expect(allWalks(seeds(1000, 1200))).toEqual(rows<Walks>(ask('walks', '--seeds', '1000:1200')));
  });

  it('gives more formulas the same worth', () => {
    for (const formula of rows<Formula>(ask('formulas', '--count', '600'))) compare(formula);
  });
});
