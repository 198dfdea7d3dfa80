/**
 * Tokenizers of tiny models: byte-level BPE. A pattern cuts texts into pieces. A frequent piece is one token
 * (`ignore_merges`); everything else is built from merges learned inside words. So texts of the model's own world are
 * short, and any text can be read.
 */
import { join } from 'node:path';
import { createFolder, writeFileAtomic } from '@emac/files';
import { shippedFile } from './config.ts';
import { byteCharacters, toByteLevel } from './vocabulary.ts';

/** Cuts a text into pieces as the pre-tokenizer does. */
export function pieces(text: string, pattern: string): string[] {
  return text.match(new RegExp(pattern, 'gu')) ?? [];
}

export interface TokenizerOptions {
  /** merges inside words */
  readonly merges: number;
  /** a piece seen at least this often is one token */
  readonly minPieceCount: number;
  /** pieces that are always tokens */
  readonly always: readonly string[];
  /** pieces that are the last tokens of the vocabulary, in this order; none by default */
  readonly last?: readonly string[];
  /** pattern of one piece, first rule first; it must match every text entirely */
  readonly pattern: string;
}

/** Learns a tokenizer from texts and writes `tokenizer.json` into a folder, creating it. */
export function writeTokenizer(folder: string, texts: Iterable<string>, options: TokenizerOptions): void {
  createFolder(folder);
  const content = JSON.stringify(trainTokenizer(texts, options), null, 1) + '\n';
  writeFileAtomic(join(folder, 'tokenizer.json'), new TextEncoder().encode(content));
}

function trainTokenizer(texts: Iterable<string>, options: TokenizerOptions): object {
  const { pattern } = options;
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const piece of pieces(text, pattern)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const merges = learnMerges(wordCounts(counts), options.merges);
  const whole = [...counts]
    .filter(([, count]) => count >= options.minPieceCount)
    .map(([piece]) => piece)
    .sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1));
  const vocabulary = new Map<string, number>();
  const enter = (token: string) => vocabulary.has(token) || vocabulary.set(token, vocabulary.size);
  const special = shippedFile<ShippedTokenizer>('tokenizer.json').added_tokens.map(({ content }) => content);
  for (const token of [...special, ...byteCharacters]) enter(token);
  const last = (options.last ?? []).map(toByteLevel);
  for (const piece of [...options.always, ...whole].map(toByteLevel)) if (!last.includes(piece)) enter(piece);
  for (const [left, right] of merges) enter(left + right);
  for (const token of last) enter(token);
  return tokenizerJson(vocabulary, { merges, pattern });
}

/** Words (with the blank before them) inside the pieces, as byte-level text. */
function wordCounts(pieceCounts: ReadonlyMap<string, number>): Map<string, number> {
  const words = new Map<string, number>();
  for (const [piece, count] of pieceCounts)
    for (const word of piece.match(/ ?[A-Za-z']+| ?\d+|[^A-Za-z\d]/gu) ?? [])
      words.set(toByteLevel(word), (words.get(toByteLevel(word)) ?? 0) + count);
  return words;
}

/** Byte-pair encoding (Sennrich et al., arXiv 1508.07909): joins the most frequent neighbours again and again. */
function learnMerges(words: ReadonlyMap<string, number>, limit: number): [string, string][] {
  let symbols = [...words].map(([word, count]) => ({ parts: [...word], count }));
  const merges: [string, string][] = [];
  while (merges.length < limit) {
    const pairs = new Map<string, number>();
    for (const { parts, count } of symbols)
      for (let i = 0; i + 1 < parts.length; i++) {
        const pair = `${parts[i]} ${parts[i + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + count);
      }
    const best = [...pairs].reduce<[string, number] | null>(
      (top, entry) => (!top || entry[1] > top[1] || (entry[1] === top[1] && entry[0] < top[0]) ? entry : top),
      null,
    );
    if (!best || best[1] < 2) break;
    const [left, right] = best[0].split(' ') as [string, string];
    merges.push([left, right]);
    symbols = symbols.map(({ parts, count }) => ({ parts: joined(parts, left, right), count }));
  }
  return merges;
}

function joined(parts: readonly string[], left: string, right: string): string[] {
  const result: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const both = parts[i] === left && parts[i + 1] === right;
    result.push(both ? left + right : parts[i]!);
    if (both) i++;
  }
  return result;
}

/** emma-tiny's file with another pattern, vocabulary and merges. */
function tokenizerJson(
  vocabulary: ReadonlyMap<string, number>,
  { merges, pattern }: { readonly merges: readonly [string, string][]; readonly pattern: string },
): object {
  const shipped = shippedFile<ShippedTokenizer>('tokenizer.json');
  const [split, ...others] = shipped.pre_tokenizer.pretokenizers;
  const pretokenizers = [{ ...split, pattern: { Regex: pattern } }, ...others];
  return {
    ...shipped,
    pre_tokenizer: { ...shipped.pre_tokenizer, pretokenizers },
    model: { ...shipped.model, vocab: Object.fromEntries(vocabulary), merges },
  };
}

interface ShippedTokenizer {
  readonly added_tokens: readonly { readonly content: string }[];
  readonly pre_tokenizer: { readonly pretokenizers: readonly object[] };
  readonly model: object;
}
