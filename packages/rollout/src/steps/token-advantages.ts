/**
 * Generalized advantage estimation over the tokens within turns, after that over turns (bi-level GAE, VAGEN, arXiv
 * 2510.16907). The last token of an answer is credited with what its turn brought: G − V, with the turn's return G = A + V
 * of the prompt. The tokens before it earn nothing themselves: δ = γ V′ − V, A = δ + γλ A′, backwards within the answer,
 * where V is the value before the token and V′ that before the next. With γ = λ = 1 the first token's advantage is the
 * turn's.
 *
 * Departure: VAGEN reads a turn's value before its last token, ours is the prompt's, so that a turn whose answer is still to
 * come has one. An answer of one token has the turn's advantage in both.
 */
import { EmacError } from '@emac/core';

export interface TokenAdvantageOptions {
  /** γ from token to token */
  readonly discount: number;
  /** λ from token to token */
  readonly trace: number;
}

export interface TokenAdvantages {
  /** of each token */
  readonly advantages: readonly number[];
  /** A + V: regression targets of the values before each token */
  readonly returns: readonly number[];
}

/**
 * Of an answer in a turn of this advantage, from the values before each of its tokens, the first that of its prompt.
 * Errors: `internal` without values.
 */
export function tokenAdvantages(
  turn: number,
  values: ArrayLike<number>,
  { discount, trace }: TokenAdvantageOptions,
): TokenAdvantages {
  const { length } = values;
  if (length === 0) throw new EmacError('internal', 'tokenAdvantages: an answer needs a token, got none');
  const advantages = new Array<number>(length);
  advantages[length - 1] = turn + (values[0]! - values[length - 1]!);
  for (let token = length - 2; token >= 0; token--)
    advantages[token] =
      discount * values[token + 1]! - values[token]! + discount * trace * advantages[token + 1]!;
  return { advantages, returns: advantages.map((advantage, token) => advantage + values[token]!) };
}
