/**
 * emma-tiny's tokenizer: byte-level BPE. The pre-tokenizer cuts ALFWorld's sentences into names and what stands between
 * them, from a number to the next name (` 2, a`, ` 1. On the`); a piece that is frequent enough is one token
 * (`ignore_merges`), everything else is built from merges learned inside words. So a play of ten commands is about 180
 * tokens, and any text can be read.
 */
import { byteCharacters, toByteLevel } from './byte-level.ts';

export const specialTokens = ['<unk>', '<s>', '</s>', '<pad>', '<image>'] as const;

const goalPhrases = [
  'Your task is to:',
  ' put a (?:clean|hot|cool)(?= [a-z]+ in )',
  ' put (?:a|some|two)(?= [a-z])',
  ' find two',
  ' (?:clean|heat|cool) some',
  ' and put (?:it|them) in',
  ' look at',
  ' examine the(?= [a-z]+ with )',
  ' (?:under|with) the(?= [a-z]+\\.)',
  ' (?:in|on)(?= [a-z]+\\.)',
];

/** What is one piece, first rule first: phrases of goals, names, numbers and lines with what follows them up to a name or the line's end, the rest. */
export const piecePattern = [
  ...goalPhrases,
  ' [a-z]+(?= \\d| in [a-z]+\\.| on [a-z]+\\.| under the| with the| and put)',
  ' [a-z]+(?=\\.\\n>)',
  ' \\d+(?:[^\\n\\d]+?(?= [a-z]+ \\d|\\n|$))?',
  '\\d+',
  '\\n>',
  '\\nYour task is to:',
  '\\n(?:[^\\n\\d>][^\\n\\d]*?(?= [a-z]+ \\d|\\n|$))?',
  '[^\\n\\d]+?(?= [a-z]+ \\d)',
  '[^\\n\\d]+?(?=\\n|$)',
  '[^\\n\\d]+',
].join('|');

/** Cuts a text into pieces as the pre-tokenizer does. */
export function pieces(text: string, pattern = piecePattern): string[] {
  return text.match(new RegExp(pattern, 'gu')) ?? [];
}

/** The number at the beginning of a piece, and what follows it; null for any other piece. */
export function numberAndRest(piece: string): { readonly number: string; readonly rest: string } | null {
  const found = /^( \d+)([^\d].*)$/su.exec(piece);
  return found && { number: found[1]!, rest: found[2]! };
}

export interface TokenizerOptions {
  /** merges inside words */
  readonly merges: number;
  /** a piece seen at least this often is one token */
  readonly minPieceCount: number;
  /** pieces that are tokens whatever their count */
  readonly always: readonly string[];
  /** pieces that are the last tokens of the vocabulary, in this order; none by default */
  readonly last?: readonly string[];
  /** what is one piece; it must match all of every text. Default `piecePattern` */
  readonly pattern?: string;
}

/** Learns the tokenizer from texts and gives the content of `tokenizer.json`. */
export function trainTokenizer(texts: Iterable<string>, options: TokenizerOptions): object {
  const { pattern = piecePattern } = options;
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
  for (const token of [...specialTokens, ...byteCharacters]) enter(token);
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
    symbols = symbols.map(({ parts, count }) => ({ parts: join(parts, left, right), count }));
  }
  return merges;
}

function join(parts: readonly string[], left: string, right: string): string[] {
  const joined: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const both = parts[i] === left && parts[i + 1] === right;
    joined.push(both ? left + right : parts[i]!);
    if (both) i++;
  }
  return joined;
}

function tokenizerJson(
  vocabulary: ReadonlyMap<string, number>,
  { merges, pattern }: { readonly merges: readonly [string, string][]; readonly pattern: string },
): object {
  const special = (content: string, id: number) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const begin = { SpecialToken: { id: '<s>', type_id: 0 } };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map(special),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false },
      ],
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [begin, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [begin, { Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: true,
      vocab: Object.fromEntries(vocabulary),
      merges,
    },
  };
}
