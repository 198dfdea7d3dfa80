/**
 * Generalized advantage estimation over the tokens of an answer, after that over steps (bi-level GAE, VAGEN, arXiv
 * 2510.16907). The last token is credited with what its step brought: A = G − V, with the step's return G. The tokens before
 * it earn nothing themselves: δ = γ V′ − V, A = δ + γλ A′, backwards within the answer, where V is the value before the token
 * and V′ that before the next. With γ = λ = 1 the first token's advantage is that of its step.
 *
 * Departure: VAGEN reads a step's value before the last token of its answer, ours is the prompt's, so that a step whose
 * answer is still to come has one. An answer of one token has the step's advantage in both.
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
 * Of an answer in a step of this return, from the values before each of its tokens, the first that of its prompt. Errors:
 * `internal` without values.
 */
export function tokenAdvantages(
  stepReturn: number,
  values: ArrayLike<number>,
  { discount, trace }: TokenAdvantageOptions,
): TokenAdvantages {
  const { length } = values;
  if (length === 0) throw new EmacError('internal', 'tokenAdvantages: an answer needs a token, got none');
  const advantages = new Array<number>(length);
  advantages[length - 1] = stepReturn - values[length - 1]!;
  for (let token = length - 2; token >= 0; token--)
    advantages[token] =
      discount * values[token + 1]! - values[token]! + discount * trace * advantages[token + 1]!;
  return { advantages, returns: advantages.map((advantage, token) => advantage + values[token]!) };
}
