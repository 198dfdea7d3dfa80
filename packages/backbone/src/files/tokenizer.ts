/**
 * A model folder's own tokenizer, from its `tokenizer.json`. Special ids come from `tokenizer_config.json` or
 * `special_tokens_map.json` beside it. Without these files they come from the encoding template and the customary names
 * among the added tokens. These files change further parts (`tokenizer-overrides.ts`). Decoding keeps spaces as they are unless the
 * files ask otherwise. Departure: tokenizers that the library would split differently from Hugging Face's Rust tokenizers are rejected.
 */
import { dirname, join } from '@emac/platform';

import { EmacError, messageOf } from '@emac/core';
import { isThere } from '@emac/files';
import { Tokenizer } from '@huggingface/tokenizers';

import { cutsAt, tokenSplitter, type Cut, type FoundToken, type TextSplitter } from './added-tokens.ts';
import { readBytesAsRust, writeBytesAsRust } from './byte-fallback.ts';
import { contentOf } from './further-tokens.ts';
import { readJsonObject, type JsonObject } from './json-object.ts';
import { limitGrowth, type Normalizer } from './normalizer-growth.ts';
import { patternTime, type PatternTime } from './pattern-time.ts';
import { rustNormalizer, rustSplit, splitAtRustSpaces } from './rust-parts.ts';
import { idsInPieces, mostIds, type TextIds } from './text-ids.ts';
import { readTokenizerFiles } from './tokenizer-overrides.ts';

export interface TextTokenizer {
  readonly beginToken: number | null;
  readonly endToken: number | null;
  readonly padToken: number | null;
  /** ids of a text; `special` adds the tokens of the model's template (default false) */
  encode(text: string, options?: { readonly special?: boolean }): number[];
  /** ids of a text and of its beginnings, without the tokens of the model's template */
  idsOf(text: string): TextIds;
  /** how many ids a text has at most, the tokens of the model's template included; Infinity: not known without reading it */
  mostIds(text: string): number;
  /** the text of ids, without special tokens unless `special` */
  decode(ids: readonly number[], options?: { readonly special?: boolean }): string;
  /** id of exactly this token, or null */
  tokenId(token: string): number | null;
}

/**
 * Reads `tokenizer.json`; `beginToken`, if given, is the begin token's text and overrides the files beside it. Errors:
 * `missing`; `data` for an unsupported tokenizer.
 */
export function loadTokenizer(file: string, beginToken: string | null = null): TextTokenizer {
  if (!isThere(file) && isThere(join(dirname(file), 'tokenizer.model'))) throw slowOnly(file);
  return ofThisForm(file, () => loaded(file, beginToken));
}

/** The value of `read`. Errors: `data` naming the file, also where the library fails on an unexpected form of it. */
function ofThisForm<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError(
      'data',
      `${file}: is not a usable tokenizer (${messageOf(thrown)}); use the file of a fast tokenizer`,
      { cause: thrown },
    );
  }
}

function loaded(file: string, beginToken: string | null): TextTokenizer {
  const { json, config } = readTokenizerFiles(file);
  const beside = { ...besides(file, 'special_tokens_map.json'), ...config };
  const special: JsonObject = beginToken === null ? beside : { ...beside, bos_token: beginToken };
  const limited = patternTime({ parts: json, file });
  const inTime: PatternTime = (characters, run) => ofThisForm(file, () => limited(characters, run));
  const { tokenizer, cuts } = build(json, { config, file, inTime });
  const tokenId = (token: string): number | null => tokenizer.token_to_id(token) ?? null;
  const named = (key: string, customary: readonly string[]): number | null => {
    const content = contentOf(special[key]);
    if (content !== null) return tokenId(content);
    return customary.map(tokenId).find((id) => id !== null) ?? null;
  };
  const encode: TextTokenizer['encode'] = (text, options) =>
    text === '' && !options?.special
      ? []
      : inTime(
          text.length,
          () => tokenizer.encode(text, { add_special_tokens: options?.special ?? false }).ids,
        );
  const added = encode('', { special: true }).length;
  const most = mostIds(json);
  const cleanUp = config['clean_up_tokenization_spaces'] === true;
  return {
    beginToken: named('bos_token', leadingSpecial(tokenizer)),
    endToken: named('eos_token', ['</s>', '<eos>', '<|endoftext|>', '<|end_of_text|>']),
    padToken: named('pad_token', ['[PAD]', '<pad>']),
    tokenId,
    encode,
    mostIds: (text) => added + most(text),
    idsOf: (text) => idsInPieces(text, cuts(text), (piece) => encode(piece)),
    decode: (ids, options) => {
      // an id beyond the vocabulary has no text; the library would give it the unknown token's
      const known = ids.filter((id) => tokenizer.id_to_token(id) !== undefined);
      return known.length === 0
        ? ''
        : inTime(known.length, () =>
            tokenizer.decode(known, {
              skip_special_tokens: !options?.special,
              clean_up_tokenization_spaces: cleanUp,
            }),
          );
    },
  };
}

/** A `tokenizer.json` with what the files beside it change. Errors: `missing`, `config`. */
export function readTokenizerJson(file: string): JsonObject {
  return readTokenizerFiles(file).json;
}

/** The text of the begin token named in the files beside a `tokenizer.json`; null if they name none. */
export function namedBeginToken(file: string): string | null {
  return contentOf(specialTokens(file)['bos_token']);
}

function specialTokens(file: string): JsonObject {
  return { ...besides(file, 'special_tokens_map.json'), ...besides(file, 'tokenizer_config.json') };
}

function slowOnly(file: string): EmacError {
  const folder = dirname(file);
  return new EmacError(
    'missing',
    `${file}: does not exist, only SentencePiece's tokenizer.model; make it with transformers, sentencepiece and protobuf: python -c "from transformers import LlamaTokenizerFast as T; T.from_pretrained('${folder}').save_pretrained('${folder}')"`,
  );
}

interface Built {
  readonly tokenizer: Tokenizer;
  /** places where a text may be taken apart */
  cuts(text: string): Cut[];
}

interface Building {
  readonly config: JsonObject;
  readonly file: string;
  readonly inTime: PatternTime;
}

function build(json: JsonObject, { config, file, inTime }: Building): Built {
  const split = isIdle(json) ? null : rustSplit(json['pre_tokenizer']);
  checkSplits(split, file);
  const parts = {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    added_tokens: [],
  };
  const normalizer = rustNormalizer(json['normalizer']);
  // the configuration's own keys, which the library reads otherwise than Hugging Face, have changed the parts already
  const tokenizer = inTime(
    // the library normalizes the added tokens at once
    0,
    () =>
      new Tokenizer(
        { ...parts, ...json, normalizer: normalizer ?? null, pre_tokenizer: split ?? null },
        { eos_token: contentOf(config['eos_token']), unk_token: unknownToken(json) },
      ),
  );
  limitGrowth((tokenizer as unknown as RustParts).normalizer, file);
  const cuts = computeAsRust(tokenizer as unknown as RustParts);
  checkWords(tokenizer as unknown as RustParts, file);
  return { tokenizer, cuts };
}

/** The library gives an added token's id to a word of the vocabulary that equals its normalized text. */
function checkWords({ added_tokens_map: tokens, model }: RustParts, file: string): void {
  for (const [text, { content, single_word }] of tokens)
    if (single_word && text !== content && model.tokens_to_ids.has(text))
      throw new EmacError(
        'data',
        `${file}: ${JSON.stringify(content)} among added_tokens or in added_tokens_decoder must not be single_word and normalized, for the vocabulary holds ${JSON.stringify(text)}; it would be split wrongly`,
      );
}

/** A word-level model's, which the library reads from the configuration. */
const unknownToken = ({ model }: JsonObject) =>
  contentOf((model as { unk_token?: unknown } | null | undefined)?.unk_token);

/** The library's parts that its types hide. */
interface RustParts {
  readonly normalizer: Normalizer | null;
  readonly decoder: Parameters<typeof readBytesAsRust>[0];
  readonly pre_tokenizer: Parameters<typeof splitAtRustSpaces>[0];
  readonly model: Parameters<typeof writeBytesAsRust>[0] & {
    readonly tokens_to_ids: ReadonlyMap<string, number>;
  };
  readonly added_tokens: readonly { lstrip: boolean; rstrip: boolean }[];
  readonly added_tokens_map: ReadonlyMap<string, FoundToken>;
  splitter_unnormalized: TextSplitter;
  splitter_normalized: TextSplitter;
}

/** Gives the places where a text may be taken apart. */
function computeAsRust(parts: RustParts): Built['cuts'] {
  readBytesAsRust(parts.decoder);
  writeBytesAsRust(parts.model);
  splitAtRustSpaces(parts.pre_tokenizer);
  const tokens = new Map([...parts.added_tokens_map].map(([text, token]) => [text, { ...token }]));
  const cuts = cutsAt(tokens, parts.splitter_unnormalized);
  parts.splitter_unnormalized = tokenSplitter(tokens, parts.splitter_unnormalized);
  parts.splitter_normalized = tokenSplitter(tokens, parts.splitter_normalized);
  // taken away by the splitters
  for (const token of parts.added_tokens) token.lstrip = token.rstrip = false;
  return cuts;
}

/** Whether the only split is at a text that the normalizer has replaced, as Gemma's at blanks. */
function isIdle({ normalizer, pre_tokenizer: split }: JsonObject): boolean {
  const [replaced, cut] = [normalizer, split].map((part) => part as PatternPart | null | undefined);
  const text = replaced?.pattern?.String;
  if (replaced?.type !== 'Replace' || cut?.type !== 'Split' || text === undefined) return false;
  return cut.pattern?.String === text && cut.invert !== true && !(replaced.content ?? text).includes(text);
}

/** A normalizer or pre-tokenizer with a literal text. */
interface PatternPart {
  readonly type?: unknown;
  readonly pattern?: { readonly String?: string };
  readonly content?: string;
  readonly invert?: unknown;
}

/** The library supports the split behaviours `Isolated` and `Removed`, inverted only with `Removed`. */
function checkSplits(part: unknown, file: string): void {
  if (typeof part !== 'object' || part === null) return;
  const { type, pretokenizers, behavior, invert } = part as Record<string, unknown>;
  if (Array.isArray(pretokenizers)) for (const each of pretokenizers) checkSplits(each, file);
  if (type !== 'Split') return;
  if (behavior === 'Removed' || (behavior === 'Isolated' && invert !== true)) return;
  const found = `${String(behavior)}${invert === true ? ', inverted' : ''}`;
  throw new EmacError(
    'data',
    `${file}: a Split pre-tokenizer must be Isolated, or Removed (inverted or not), got ${found}, which would be split wrongly`,
  );
}

function besides(file: string, name: string): JsonObject {
  const path = join(dirname(file), name);
  return isThere(path) ? readJsonObject(path) : {};
}

/** The tokens that the template puts before an empty text. */
function leadingSpecial(tokenizer: Tokenizer): string[] {
  const [first] = tokenizer.encode('', { add_special_tokens: true }).tokens;
  return [...(first === undefined ? [] : [first]), '<s>', '<bos>', '[CLS]'];
}
