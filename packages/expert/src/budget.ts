/**
 * A limit on tokens, checked before a request is sent (estimate of the prompt and the longest answer) and kept by what
 * the server says was used. Replayed replies count too, so that a resumed run stands where it stood.
 */
import { EmacError, type ChatMessage } from '@emac/core';

/** What one request may take until it is settled. */
export interface Reservation {
  /** tokens really used; null when the server did not say, which counts as the estimate */
  settle(tokens: number | null): void;
}

export interface Budget {
  /** throws EmacError('interrupted') when the request may go over the limit */
  reserve(messages: readonly ChatMessage[], maxTokens: number): Reservation;
  /** counts tokens without a check: a reply that was paid for before */
  add(tokens: number): void;
  /** tokens used so far; to be stored, and given back as `usedTokens` */
  used(): number;
}

export interface TokenBudgetOptions {
  /** prompt and answer tokens in all */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** used before; default 0 */
  readonly usedTokens?: number;
}

const tokensPerMessage = 4;

/** A budget over all requests that share it, also while several are under way. */
export function tokenBudget({ maxTokens, countTokens, usedTokens = 0 }: TokenBudgetOptions): Budget {
  let used = usedTokens;
  let reserved = 0;
  return {
    reserve(messages, longestAnswer) {
      const prompt = messages.reduce((sum, { content }) => sum + countTokens(content) + tokensPerMessage, 0);
      const estimate = prompt + longestAnswer;
      if (used + reserved + estimate > maxTokens) throw exhausted(used + reserved, estimate, maxTokens);
      reserved += estimate;
      return {
        settle(tokens) {
          reserved -= estimate;
          used += tokens ?? estimate;
        },
      };
    },
    add(tokens) {
      used += tokens;
    },
    used: () => used,
  };
}

function exhausted(used: number, estimate: number, maxTokens: number): EmacError {
  return new EmacError(
    'interrupted',
    `language model budget: ${used} of ${maxTokens} tokens are used and the next request may take ${estimate}; raise the budget and resume`,
  );
}
