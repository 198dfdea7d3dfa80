/** A loss of a policy's own answers, per token or per answer, with an entropy bonus. */
import { EmacError, type Arithmetic, type Loss } from '@emac/core';

export interface CreditOptions {
  /** a term per token, or per answer; then rows give its tokens' factors */
  readonly credit: 'token' | 'answer';
  /** c, the reward per nat of entropy */
  readonly entropyCoefficient: number;
}

/** The terms that such a loss reads of a token or an answer. */
export interface CreditedTerms<T> {
  readonly logProbability: T;
  constant(name: string): T;
}

type Formula = <T>(arithmetic: Arithmetic<T>, terms: CreditedTerms<T>) => T;

/**
 * The formula − c · entropy, per token, or per answer of Σ factor · log-probability over its tokens; rows then give `factors`. Errors: `usage` for an
 * invalid coefficient.
 */
export function creditedLoss({ credit, entropyCoefficient }: CreditOptions, formula: Formula): Loss {
  if (!Number.isFinite(entropyCoefficient))
    throw new EmacError(
      'usage',
      `policy loss: the entropy coefficient must be a number, got ${entropyCoefficient}`,
    );
  const of = <T>(arithmetic: Arithmetic<T>, terms: CreditedTerms<T>, entropy: () => T): T => {
    const loss = formula(arithmetic, terms);
    if (entropyCoefficient === 0) return loss;
    return arithmetic.subtract(loss, arithmetic.scale(entropy(), entropyCoefficient));
  };
  if (credit === 'token')
    return {
      over: 'tokens',
      formula: (arithmetic, token) => {
        const { logProbability } = token;
        const constant = (name: string) => token.constant(name);
        return of(arithmetic, { logProbability, constant }, () => token.entropy);
      },
    };
  return {
    over: 'answers',
    answers: 1,
    pooling: { factors: 'factors' },
    formula: (arithmetic, row) => {
      const logProbability = row.logProbabilities[0]!;
      const constant = (name: string) => row.constant(name);
      return of(arithmetic, { logProbability, constant }, () => row.entropies[0]!);
    },
  };
}
