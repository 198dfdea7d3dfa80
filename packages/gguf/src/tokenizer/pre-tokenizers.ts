/**
 * How byte-level tokenizers split a text before they merge: GGUF names it, `tokenizer.json` spells it out. Each name is a list of
 * expressions, applied one after the other to the pieces that the one before left (llama-vocab.cpp, `llm_tokenizer_bpe`). The order of
 * merging is the same in both.
 */
import { EmacError } from '@emac/core';
import type { JsonObject } from '@emac/backbone';

/** of GPT-2; `ByteLevel` with `use_regex` has it built in */
const gpt2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const words = (digits: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

interface PreTokenizer {
  readonly splits: readonly string[];
  /** letters and their marks are put together first */
  readonly isComposed: boolean;
  /** a piece that is a token is taken whole */
  readonly ignoreMerges: boolean;
}

const plain = (...splits: string[]): PreTokenizer => ({ splits, isComposed: false, ignoreMerges: false });
const llama3: PreTokenizer = { splits: [words('\\p{N}{1,3}')], isComposed: false, ignoreMerges: true };

/** names that llama.cpp maps onto one splitting; the first one is written */
export const llama3Names = [
  'llama-bpe',
  'llama3',
  'llama-v3',
  'falcon3',
  'falcon-h1',
  'pixtral',
  'midm-2.0',
  'lfm2',
] as const;
const gpt2Names = [
  'gpt-2',
  'phi-2',
  'jina-es',
  'jina-de',
  'mpt',
  'olmo',
  'jais',
  'trillion',
  'granite-docling',
];
const smollmNames = ['smollm', 'starcoder', 'refact', 'command-r', 'codeshell', 'exaone', 'minerva-7b'];
const all = (names: readonly string[], splitting: PreTokenizer) =>
  names.map((name) => [name, splitting] as const);

const preTokenizers: ReadonlyMap<string, PreTokenizer> = new Map([
  ...all(gpt2Names, plain(gpt2)),
  ...all(smollmNames, plain('\\p{N}', gpt2)),
  ['qwen2', { ...plain(words('\\p{N}')), isComposed: true }],
  // as Qwen's, of letters as they are
  ...all(['deepseek-r1-qwen', 'stablelm2', 'hunyuan'], plain(words('\\p{N}'))),
  ...all(llama3Names, llama3),
  ['default', plain('[\\p{P}\\$\\+<=>\\^~\\|]+', gpt2, '\\p{N}+', '[0-9][0-9][0-9]')],
]);

/** Parts of a `tokenizer.json`. Errors: `data` for a name that is not known. */
export function splitting(
  name: string,
  place: string,
): {
  readonly normalizer: JsonObject | null;
  readonly preTokenizer: JsonObject;
  readonly ignoreMerges: boolean;
} {
  const found = preTokenizers.get(name);
  if (!found)
    throw new EmacError(
      'data',
      `${place}: tokenizer.ggml.pre must be one of ${[...preTokenizers.keys()].join(', ')}, got ${name}; texts would be split wrongly`,
    );
  const { splits, isComposed, ignoreMerges } = found;
  const usesRegex = splits.at(-1) === gpt2;
  const pretokenizers = [
    ...(usesRegex ? splits.slice(0, -1) : splits).map((Regex) => ({
      type: 'Split',
      pattern: { Regex },
      behavior: 'Isolated',
      invert: false,
    })),
    { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: usesRegex },
  ];
  return {
    normalizer: isComposed ? { type: 'NFC' } : null,
    preTokenizer: { type: 'Sequence', pretokenizers },
    ignoreMerges,
  };
}

/** The name of a `tokenizer.json`'s splitting. Errors: `data` for one that has none. */
export function nameOfSplitting(json: JsonObject, place: string): string {
  const splits = splitsOf(json['pre_tokenizer']);
  const ignoreMerges = (json['model'] as JsonObject)['ignore_merges'] === true;
  const normalizer = (json['normalizer'] as JsonObject | null)?.['type'] ?? null;
  const found = [...preTokenizers].find(
    ([, each]) =>
      each.splits.join('\n') === splits?.join('\n') &&
      each.ignoreMerges === ignoreMerges &&
      normalizer === (each.isComposed ? 'NFC' : null),
  );
  if (found) return found[0];
  throw new EmacError(
    'data',
    `${place}: its pre-tokenizer must be one that llama.cpp names (${[...preTokenizers.keys()].join(', ')}), is ${JSON.stringify(json['pre_tokenizer'])}; it cannot be written as GGUF`,
  );
}

/** The expressions of a pre-tokenizer that ends in bytes; null for any other. */
function splitsOf(part: unknown): string[] | null {
  const { type, pretokenizers, pattern, behavior, invert, ...rest } = (part ?? {}) as JsonObject;
  if (type === 'Sequence' && Array.isArray(pretokenizers)) {
    const parts = pretokenizers.map(splitsOf);
    return parts.includes(null) ? null : parts.flat().filter((each) => each !== null);
  }
  if (type === 'Digits') return [rest['individual_digits'] === true ? '\\p{N}' : '\\p{N}+'];
  if (type === 'ByteLevel' && rest['add_prefix_space'] !== true)
    return rest['use_regex'] === false ? [] : [gpt2];
  const regex = (pattern as JsonObject | undefined)?.['Regex'];
  return type === 'Split' && behavior === 'Isolated' && invert !== true && typeof regex === 'string'
    ? [regex]
    : null;
}
