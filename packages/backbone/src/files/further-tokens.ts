/**
 * Added tokens of a folder: those of `tokenizer.json`, changed and completed by the files beside it as the fast tokenizers of
 * transformers 4.57 do, in their order and with their ids (`PreTrainedTokenizerFast.__init__`; `AddedVocabulary` of the Rust library).
 */
import type { JsonObject } from './json-object.ts';
import type { TokenizerClass } from './tokenizer-class.ts';

export const namedTokens = [
  'bos_token',
  'eos_token',
  'unk_token',
  'sep_token',
  'pad_token',
  'cls_token',
  'mask_token',
];

export interface AddedToken extends JsonObject {
  readonly id: number;
  readonly content: string;
}

export const addedTo = (json: JsonObject) => (json['added_tokens'] ?? []) as readonly AddedToken[];

/** A token is stored as its text, or as an object that holds it. */
export function contentOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : null;
}

/** The added tokens of `tokenizer.json` with those of a configuration and of its class. */
export function withTokens(json: JsonObject, config: JsonObject, type: TokenizerClass): AddedToken[] {
  const all = new Map(addedTo(json).map((token) => [token.content, token]));
  const ids = vocabularyOf(json);
  const special = specialOf(config, type);
  const names = new Set(special.map(contentOf));
  const decoder = (config['added_tokens_decoder'] ?? {}) as Readonly<Record<string, JsonObject>>;
  const listed = Object.keys(decoder)
    .sort((one, other) => Number(one) - Number(other))
    .map((id) => decoder[id]!);
  const flags = new Map(listed.map((token) => [contentOf(token), token]));
  for (const token of [...listed, ...special.map((each) => flags.get(contentOf(each)) ?? each)]) {
    const content = contentOf(token);
    if (content === null || content === '') continue;
    const known = all.get(content);
    // a text alone changes no token that is there
    if (known && typeof token === 'string') continue;
    const isSpecial = (token as JsonObject)['special'] === true || names.has(content);
    const made = { normalized: !isSpecial, ...plainFlags(token), special: isSpecial, content };
    const id = known?.id ?? ids.get(content) ?? nextId(ids.size, all);
    all.set(content, { ...made, id, ...(known && kept(known, made)) });
  }
  return [...all.values()];
}

/** A special token stays one, and is found before normalization if it ever was. */
function kept(known: AddedToken, made: JsonObject): JsonObject {
  if (known['special'] !== true) return {};
  return { special: true, normalized: known['normalized'] === true && made['normalized'] === true };
}

function plainFlags(token: unknown): JsonObject {
  if (typeof token !== 'object' || token === null) return {};
  const { __type: _, ...flags } = token as JsonObject;
  return { single_word: false, lstrip: false, rstrip: false, ...flags };
}

/** Special tokens in transformers' order: by name, then those without. */
function specialOf(config: JsonObject, type: TokenizerClass): readonly unknown[] {
  const named = namedTokens.map((key) => valueOf(config, type, key));
  const made = type.remakesTokens
    ? named.map((each, at) =>
        typeof each === 'string' && remade.has(namedTokens[at]!)
          ? { content: each, special: true, normalized: false }
          : each,
      )
    : named;
  const additional = (config['additional_special_tokens'] ?? []) as readonly unknown[];
  const further = (type.further ?? []).map((key) => valueOf(config, type, key));
  const extra = Object.values((config['extra_special_tokens'] ?? {}) as object) as unknown[];
  return [...made, ...additional, ...further, ...extra];
}

const remade = new Set(['bos_token', 'eos_token', 'unk_token', 'pad_token']);

/** A null stays null. */
export function valueOf(config: JsonObject, type: TokenizerClass, key: string): unknown {
  return key in config ? config[key] : (type.tokens[key] ?? null);
}

function nextId(size: number, added: ReadonlyMap<string, AddedToken>): number {
  const highest = Math.max(-1, ...[...added.values()].map(({ id }) => id));
  return highest >= size ? highest + 1 : size;
}

/** Ids by token. Unigram's vocabulary is a list of tokens and scores. */
function vocabularyOf({ model }: JsonObject): ReadonlyMap<string, number> {
  const vocabulary = (model as { vocab?: unknown } | null | undefined)?.vocab ?? {};
  return Array.isArray(vocabulary)
    ? new Map(vocabulary.map((entry: readonly [string, number], id) => [entry[0], id]))
    : new Map(Object.entries(vocabulary as Record<string, number>));
}
