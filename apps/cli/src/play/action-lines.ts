/** Lines with actions in an environment: by number from a file or a program, by word from a person. */
import { EmacError, type Seed } from '@emac/core';
import { wholeSeed } from '../options/form.ts';

export type Order<Action = number> =
  | { readonly kind: 'action'; readonly action: Action }
  /** another episode; null continues the random stream of the last one */
  | { readonly kind: 'reset'; readonly seed: Seed | null };

/** Orders from lines of numbers. Errors: `data` for an invalid line, with its number. */
export async function* numberedOrders(
  lines: AsyncIterable<string>,
  { from, actions }: { readonly from: string; readonly actions: readonly string[] },
): AsyncGenerator<Order> {
  let line = 0;
  for await (const text of lines) {
    line++;
    const order = resetIn(text) ?? numberIn(text, actions.length);
    if (order === null)
      throw new EmacError(
        'data',
        `${from}, line ${line}: must be the number of an action from 0 to ${actions.length - 1}, reset, or reset SEED, got ${JSON.stringify(text)}`,
      );
    yield order;
  }
}

/** The order in a person's words; null for other words. */
export function orderInWords(text: string, actions: readonly string[]): Order | null {
  const action = actions.findIndex((word) => word.toLowerCase() === text.trim().toLowerCase());
  return action < 0 ? resetIn(text) : { kind: 'action', action };
}

function resetIn(text: string): Order | null {
  const found = /^\s*reset(?:\s+(\d+))?\s*$/.exec(text);
  return found && { kind: 'reset', seed: found[1] === undefined ? null : wholeSeed.parse(found[1])! };
}

function numberIn(text: string, count: number): Order | null {
  const action = /^\s*\d{1,3}\s*$/.test(text) ? Number(text) : NaN;
  return action < count ? { kind: 'action', action } : null;
}
