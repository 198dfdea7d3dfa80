/**
 * What `tokenizer_config.json` changes of a `tokenizer.json` beside it, as the fast tokenizers of transformers 4.57 do when they load
 * both: further added tokens, the blank before a text, begin and end tokens of LLaMA's and Gemma's classes, BERT's letters.
 * Departures: `split_special_tokens` is refused, and so is an `add_prefix_space` of LLaMA's class that asks for another `tokenizer.json`.
 */
import { fieldsOf, type Fields, type JsonObject } from './json-object.ts';

/** classes that write their template anew, with their begin and end tokens where the file names none */
const templates: Readonly<Record<string, { readonly begin: string; readonly end: string }>> = {
  LlamaTokenizer: { begin: '<s>', end: '</s>' },
  CodeLlamaTokenizer: { begin: '<s>', end: '</s>' },
  GemmaTokenizer: { begin: '<bos>', end: '<eos>' },
};

const namedTokens = [
  'bos_token',
  'eos_token',
  'unk_token',
  'sep_token',
  'pad_token',
  'cls_token',
  'mask_token',
];

/** The changed contents of `tokenizer.json`. Errors: `config` naming the key of `tokenizer_config.json` at `place`. */
export function withOverrides(json: JsonObject, config: JsonObject, place: string): JsonObject {
  const fields = fieldsOf(config, place);
  if (fields.boolean('split_special_tokens', false))
    fields.fail('split_special_tokens', 'must be false (special tokens in a text are never split)');
  const type = fields.text('tokenizer_class', '').replace(/Fast$/, '');
  checkPrefix(json, type, fields);
  return {
    ...json,
    added_tokens: [...addedTo(json), ...furtherTokens(json, fields)],
    pre_tokenizer: withPrefix(json['pre_tokenizer'], config),
    ...(templates[type] && { post_processor: templateOf(fields, templates[type]) }),
    ...(type === 'BertTokenizer' && { normalizer: asOfBert(json['normalizer'], fields) }),
  };
}

interface Added extends JsonObject {
  readonly id: number;
  readonly content: string;
}

const addedTo = (json: JsonObject) => (json['added_tokens'] ?? []) as readonly Added[];

/** Tokens that `tokenizer.json` has not among its added ones, in the order in which transformers adds them. */
function furtherTokens(json: JsonObject, fields: Fields): Added[] {
  const decoder = fields.object('added_tokens_decoder') ?? {};
  const byId = Object.keys(decoder).sort((one, other) => Number(one) - Number(other));
  const listed = byId.map((id) => decoder[id]);
  const named = [...namedTokens.map((key) => fields.given(key)), ...extraTokens(fields)];
  const names = new Set(named.map(contentOf));
  const seen = new Set(addedTo(json).map(({ content }) => content));
  const ids = vocabularyOf(json);
  let next = Math.max(ids.size - 1, ...ids.values(), ...addedTo(json).map(({ id }) => id)) + 1;
  return [...listed, ...named].flatMap((token) => {
    const content = contentOf(token);
    if (content === null || content === '' || seen.has(content)) return [];
    seen.add(content);
    const flags = typeof token === 'object' ? (token as JsonObject) : {};
    const special = flags['special'] === true || names.has(content);
    // a text alone is matched in normalized text unless it is special
    return [{ normalized: !special, ...flags, special, content, id: ids.get(content) ?? next++ }];
  });
}

/** Without a name, or (`extra_special_tokens`, in newer files a list too) with names of the model's own. */
function extraTokens(fields: Fields): readonly unknown[] {
  const additional = fields.given('additional_special_tokens') ?? [];
  if (!Array.isArray(additional)) return fields.fail('additional_special_tokens', 'must be a list');
  const extra = fields.given('extra_special_tokens') ?? [];
  if (typeof extra !== 'object') return fields.fail('extra_special_tokens', 'must be a list or an object');
  return [...(additional as unknown[]), ...Object.values(extra as object)];
}

/** A token is stored as its text, or as an object that holds it. */
function contentOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const content = (value as { content?: unknown } | null | undefined)?.content;
  return typeof content === 'string' ? content : null;
}

/** Ids by token. Unigram's vocabulary is a list of tokens and scores. */
function vocabularyOf({ model }: JsonObject): ReadonlyMap<string, number> {
  const vocabulary = (model as { vocab?: unknown } | null | undefined)?.vocab ?? {};
  return Array.isArray(vocabulary)
    ? new Map(vocabulary.map((entry: readonly [string, number], id) => [entry[0], id]))
    : new Map(Object.entries(vocabulary as Record<string, number>));
}

/** `ByteLevel` alone has the setting in the file; missing it is false, null leaves the file's. */
function withPrefix(part: unknown, config: JsonObject): unknown {
  const { add_prefix_space: prefix = false } = config;
  if ((part as { type?: unknown } | null | undefined)?.type !== 'ByteLevel' || prefix === null) return part;
  return { ...(part as object), add_prefix_space: prefix };
}

/** LLaMA's class makes its tokenizer anew, from SentencePiece's file, if the setting is there. */
function checkPrefix(json: JsonObject, type: string, fields: Fields): void {
  const prefix = fields.given('add_prefix_space');
  if (!/^(Code)?LlamaTokenizer$/.test(type) || typeof prefix !== 'boolean') return;
  const has = putsBlankFirst(json['normalizer']) || putsBlankFirst(json['pre_tokenizer']);
  if (has !== prefix)
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

function templateOf(fields: Fields, usual: { readonly begin: string; readonly end: string }): JsonObject {
  const token = (key: string, fallback: string) =>
    fields.isNull(key) ? null : (contentOf(fields.given(key)) ?? fallback);
  const asked = (key: string, { of, is }: { readonly of: string | null; readonly is: boolean }) => {
    if (!fields.boolean(key, is)) return null;
    return of ?? fields.fail(key, 'must be false where the token is null');
  };
  const begin = asked('add_bos_token', { of: token('bos_token', usual.begin), is: true });
  const end = asked('add_eos_token', { of: token('eos_token', usual.end), is: false });
  const part = (id: string | null) => (id === null ? [] : [{ SpecialToken: { id, type_id: 0 } }]);
  const single = [...part(begin), { Sequence: { id: 'A', type_id: 0 } }, ...part(end)];
  return { type: 'TemplateProcessing', single, pair: [], special_tokens: {} };
}

function asOfBert(part: unknown, fields: Fields): unknown {
  if ((part as { type?: unknown } | null | undefined)?.type !== 'BertNormalizer') return part;
  return {
    ...(part as object),
    lowercase: fields.boolean('do_lower_case', true),
    strip_accents: fields.given('strip_accents') ?? null,
    handle_chinese_chars: fields.boolean('tokenize_chinese_chars', true),
  };
}
