/**
 * What the files beside a `tokenizer.json` change of it, as the fast tokenizers of transformers 4.57 do when they load them together:
 * further added tokens, the blank before a text, begin and end tokens of some classes, BERT's letters.
 * Departures: what splits special tokens, names other files or makes the tokenizer anew is refused.
 */
import { dirname, join } from '@emac/platform';

import { isThere } from '@emac/files';

import { addedTo, contentOf, namedTokens, valueOf, withTokens } from './further-tokens.ts';
import { fieldsOf, readJsonObject, type Fields, type JsonObject } from './json-object.ts';
import { tokenizerClass, type TokenizerClass } from './tokenizer-class.ts';

export interface TokenizerFiles {
  /** `tokenizer.json` with its changes */
  readonly json: JsonObject;
  /** `tokenizer_config.json` with what the files beside it say, and its class's tokens */
  readonly config: JsonObject;
}

/** A `tokenizer.json` and the files beside it. Errors: `missing`; `config` naming file and key. */
export function readTokenizerFiles(file: string): TokenizerFiles {
  const json = readJsonObject(file);
  const folder = dirname(file);
  const own = besides(folder, 'tokenizer_config.json');
  const type = tokenizerClass(folder, own);
  const config = merged(own, json, folder);
  const place = join(folder, 'tokenizer_config.json');
  const { added_tokens_decoder: _, ...said } = config;
  const saysNothing = Object.keys(own).length === 0 && Object.keys(said).length === 0;
  const isAlone =
    saysNothing && type.name === 'PreTrainedTokenizer' && !isThere(join(folder, 'added_tokens.json'));
  const named = namedTokens.map((key) => [key, valueOf(config, type, key)]);
  return {
    json: isAlone ? json : withOverrides(json, { config, type, place }),
    config: { ...config, ...Object.fromEntries(named.filter(([, value]) => value !== null)) },
  };
}

function besides(folder: string, name: string): JsonObject {
  const path = join(folder, name);
  return isThere(path) ? readJsonObject(path) : {};
}

/** Older folders have their tokens in further files. They count where `added_tokens_decoder` is missing. */
function merged(own: JsonObject, json: JsonObject, folder: string): JsonObject {
  if ('added_tokens_decoder' in own) return own;
  const map = besides(folder, 'special_tokens_map.json');
  checkLists(fieldsOf(own, join(folder, 'tokenizer_config.json')));
  const { additional_special_tokens: additional, ...rest } = map;
  const named = Object.entries(rest).map(([key, value]) => [
    key,
    typeof value === 'object' && value !== null ? { ...value, special: true } : value,
  ]);
  const config: JsonObject = {
    ...own,
    ...Object.fromEntries(named),
    ...(Array.isArray(additional) && {
      additional_special_tokens: joined(own['additional_special_tokens'], additional),
    }),
  };
  const numbers = Object.entries(besides(folder, 'added_tokens.json'));
  const special = new Set([
    ...namedTokens.map((key) => contentOf(config[key])),
    ...((config['additional_special_tokens'] ?? []) as unknown[]).map(contentOf),
  ]);
  const decoder = numbers.map(([content, id]) => {
    const isSpecial = special.has(content);
    return [id, { content, ...noFlags, normalized: !isSpecial, special: isSpecial }];
  });
  const tokens = addedTo(json).map(({ id, ...token }) => [id, token]);
  return { ...config, added_tokens_decoder: Object.fromEntries([...decoder, ...tokens]) };
}

const noFlags = { single_word: false, lstrip: false, rstrip: false };

function joined(own: unknown, further: readonly unknown[]): readonly unknown[] {
  const all: unknown[] = Array.isArray(own) ? [...(own as unknown[])] : [];
  const texts = new Set(all.map((each) => JSON.stringify(each)));
  return [
    ...all,
    ...further
      .filter((each) => !texts.has(JSON.stringify(each)))
      .map((each) => (typeof each === 'object' ? { ...each, special: true } : each)),
  ];
}

interface Beside {
  readonly config: JsonObject;
  readonly type: TokenizerClass;
  readonly place: string;
}

function withOverrides(json: JsonObject, { config, type, place }: Beside): JsonObject {
  const fields = fieldsOf(config, place);
  checkSupported(fields);
  checkPrefix(json, type.name, fields);
  if (type.name === 'CodeLlamaTokenizer' && contentOf(config['fill_token'] ?? '<FILL_ME>') !== '<FILL_ME>')
    fields.fail('fill_token', 'must be "<FILL_ME>" or missing');
  return {
    ...json,
    added_tokens: withTokens(json, config, type),
    pre_tokenizer:
      type.name === 'LlamaTokenizer' ? json['pre_tokenizer'] : withPrefix(json['pre_tokenizer'], fields),
    ...(writesTemplate(type, fields) && { post_processor: templateOf(json, type, fields) }),
    ...(type.name === 'BertTokenizer' && { normalizer: asOfBert(json['normalizer'], fields) }),
  };
}

function checkSupported(fields: Fields): void {
  if (fields.boolean('split_special_tokens', false))
    fields.fail('split_special_tokens', 'must be false (special tokens in a text are never split)');
  if (fields.boolean('from_slow', false))
    fields.fail('from_slow', 'must be false (the tokenizer is the one of tokenizer.json)');
  if (fields.given('tokenizer_file') !== null || fields.isNull('tokenizer_file'))
    fields.fail('tokenizer_file', 'must be missing (the tokenizer is the one of tokenizer.json)');
  const inputs = fields.given('init_inputs') ?? [];
  if (!Array.isArray(inputs) || inputs.length > 0) fields.fail('init_inputs', 'must be empty');
  checkLists(fields);
  if (typeof (fields.given('extra_special_tokens') ?? []) !== 'object')
    fields.fail('extra_special_tokens', 'must be a list or an object');
  fields.object('added_tokens_decoder');
}

function checkLists(fields: Fields): void {
  if (!Array.isArray(fields.given('additional_special_tokens') ?? []))
    fields.fail('additional_special_tokens', 'must be a list');
}

/** `ByteLevel` alone has the setting in the file; missing it is false, null leaves the file's. */
function withPrefix(part: unknown, fields: Fields): unknown {
  if ((part as { type?: unknown } | null | undefined)?.type !== 'ByteLevel') return part;
  if (fields.isNull('add_prefix_space')) return part;
  return { ...(part as object), add_prefix_space: fields.boolean('add_prefix_space', false) };
}

/** LLaMA's class makes its tokenizer anew, from SentencePiece's file, if the setting is there. */
function checkPrefix(json: JsonObject, type: string, fields: Fields): void {
  const prefix = fields.given('add_prefix_space');
  if (type !== 'LlamaTokenizer' || prefix === null) return;
  const has = putsBlankFirst(json['normalizer']) || putsBlankFirst(json['pre_tokenizer']);
  if (has !== fields.boolean('add_prefix_space', false))
    fields.fail(
      'add_prefix_space',
      `must be ${has}, as tokenizer.json has it; save the folder with the tokenizer of transformers`,
    );
}

function putsBlankFirst(part: unknown): boolean {
  const { type, normalizers, pretokenizers, prepend_scheme, add_prefix_space } = (part ?? {}) as JsonObject;
  const inner = [normalizers, pretokenizers].flat().filter((each) => each !== undefined);
  if (inner.some(putsBlankFirst)) return true;
  return (
    type === 'Prepend' || (type === 'Metaspace' && prepend_scheme !== 'never' && add_prefix_space !== false)
  );
}

/** The tokenizers of transformers 5 write the template where the configuration says which tokens it has. */
function writesTemplate({ name, template }: TokenizerClass, fields: Fields): boolean {
  if (name !== 'TokenizersBackend') return template !== undefined;
  return ['add_bos_token', 'add_eos_token'].some((key) => fields.given(key) !== null || fields.isNull(key));
}

function templateOf(json: JsonObject, type: TokenizerClass, fields: Fields): unknown {
  const isStrict = type.template !== undefined;
  const part = (name: 'bos' | 'eos', usual: boolean) => {
    const [key, asked] = [`${name}_token`, `add_${name}_token`];
    if (fields.isNull(asked) || !fields.boolean(asked, usual)) return [];
    const id = fields.isNull(key) ? null : (contentOf(fields.given(key)) ?? type.tokens[key] ?? null);
    if (id !== null) return [{ SpecialToken: { id, type_id: 0 } }];
    return isStrict ? fields.fail(asked, `must be false where ${key} is null`) : [];
  };
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const single = [...part('bos', type.template?.begin ?? false), text, ...part('eos', false)];
  const given = json['post_processor'] as JsonObject | null | undefined;
  const isSame =
    given?.['type'] === 'TemplateProcessing' && JSON.stringify(given['single']) === JSON.stringify(single);
  return isSame ? given : { type: 'TemplateProcessing', single, pair: [], special_tokens: {} };
}

function asOfBert(part: unknown, fields: Fields): unknown {
  if ((part as { type?: unknown } | null | undefined)?.type !== 'BertNormalizer') return part;
  return {
    ...(part as object),
    lowercase: fields.boolean('do_lower_case', true),
    strip_accents: fields.isNull('strip_accents') ? null : fields.given('strip_accents'),
    handle_chinese_chars: fields.boolean('tokenize_chinese_chars', true),
  };
}
