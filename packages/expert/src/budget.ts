/**
 * A limit on tokens and money. It is checked before a request is sent (for its prompt and its longest answer) and
 * updated with the actual usage. All concurrent requests share it. Failed attempts cost nothing, because services bill
 * replies; a reply that was billed but lost is not counted.
 */
import { EmacError } from '@emac/core';

/** Tokens of prompts and answers. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** US dollars per million tokens. */
export interface Prices {
  readonly prompt: number;
  readonly completion: number;
}

/** The maximum usage of one request, until it is settled. */
export interface Reservation {
  /** null if nothing was used */
  settle(used: Usage | null): void;
}

export interface Budget {
  /** throws EmacError('interrupted') if the request may exceed a limit */
  reserve(most: Usage): Reservation;
  /** counts earlier usage without a check */
  add(used: Usage): void;
  used(): Usage;
}

export interface BudgetOptions {
  /** total of prompt and answer tokens; default unlimited */
  readonly maxTokens?: number | undefined;
  /** US dollars; default unlimited */
  readonly maxCost?: number | undefined;
  /** required with `maxCost` */
  readonly prices?: Prices | undefined;
}

export const noUsage: Usage = { promptTokens: 0, completionTokens: 0 };

export function sumOf(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}

/** US dollars. */
export function costOf({ promptTokens, completionTokens }: Usage, prices: Prices): number {
  return (promptTokens * prices.prompt + completionTokens * prices.completion) / 1e6;
}

/** A budget shared by all requests; throws `usage` for a money limit without prices. */
export function spendingBudget(options: BudgetOptions): Budget {
  if (options.maxCost !== undefined && options.prices === undefined)
    throw new EmacError(
      'usage',
      'language model budget: a sum of money needs the prices of a million tokens',
    );
  let used = noUsage;
  let reserved = noUsage;
  return {
    reserve(most) {
      requireWithin(options, sumOf(used, reserved), most);
      reserved = sumOf(reserved, most);
      return {
        settle(really) {
          reserved = sumOf(reserved, negative(most));
          if (really) used = sumOf(used, really);
        },
      };
    },
    add: (more) => void (used = sumOf(used, more)),
    used: () => used,
  };
}

function negative({ promptTokens, completionTokens }: Usage): Usage {
  return { promptTokens: -promptTokens, completionTokens: -completionTokens };
}

function requireWithin({ maxTokens, maxCost, prices }: BudgetOptions, used: Usage, most: Usage): void {
  if (maxTokens !== undefined && tokensOf(used) + tokensOf(most) > maxTokens)
    throw exhausted(`${tokensOf(used)} of ${maxTokens} tokens are used`, `${tokensOf(most)}`);
  if (maxCost === undefined || !prices) return;
  const [spent, next] = [costOf(used, prices), costOf(most, prices)];
  if (spent + next > maxCost)
    throw exhausted(`${dollars(spent)} of ${dollars(maxCost)} are spent`, dollars(next));
}

function tokensOf({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

function exhausted(state: string, next: string): EmacError {
  return new EmacError(
    'interrupted',
    `language model budget: ${state} and the next request may take ${next}; raise the budget and resume`,
  );
}
