/**
 * A list of texts as a trie over token ids: the possible next tokens after a prefix, so that a search can only produce
 * these texts. Each text ends with its end token.
 */
import { EmacError } from '@emac/core';

export interface TokenTrie {
  /** Possible tokens after `tokens`, ascending; none after a whole text or outside the list. */
  after(tokens: readonly number[]): readonly number[];
  /** The trie of the texts that pass `keeps`. */
  filter(keeps: (text: readonly number[]) => boolean): TokenTrie;
}

/** every continuation by its first token */
class Branches extends Map<number, Branches> {}

/** Errors: `usage` for an empty text, or one that continues after another's end. */
export function tokenTrie(texts: readonly (readonly number[])[]): TokenTrie {
  const root = new Branches();
  for (const text of texts) add(root, text);
  for (const text of texts)
    if (text.length === 0 || branchesAfter(root, text)!.size > 0)
      throw new EmacError(
        'usage',
        `tokenTrie: every text must have one end token, at its end, got [${text.join(', ')}]`,
      );
  return {
    after: (tokens) => [...(branchesAfter(root, tokens)?.keys() ?? [])].sort((a, b) => a - b),
    filter: (keeps) => tokenTrie(texts.filter(keeps)),
  };
}

function add(root: Branches, text: readonly number[]): void {
  let branches = root;
  for (const token of text) {
    const next = branches.get(token) ?? new Branches();
    branches.set(token, next);
    branches = next;
  }
}

function branchesAfter(root: Branches, tokens: readonly number[]): Branches | undefined {
  let branches: Branches | undefined = root;
  for (const token of tokens) branches = branches?.get(token);
  return branches;
}
