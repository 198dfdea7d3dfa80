/** A model folder's tokenizer as GGUF's metadata has it: the way back of `tokenizer-files.ts`. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere, readText } from '@emac/files';
import { fieldsOf, readJsonObject, readTokenizerJson, type JsonObject } from '@emac/backbone';

import type { MetadataValue } from '../file/write-gguf.ts';
import { scoresOfMerges } from './piece-merges.ts';
import { nameOfSplitting } from './pre-tokenizers.ts';
import { filler } from './tokenizer-files.ts';
import { ggml, spaceScheme, tokenTypes } from './vocabulary.ts';

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
}

/** Entries of metadata for a table of `rows` tokens. Errors: `missing`; `data` for a tokenizer that GGUF cannot say. */
export function tokenizerMetadata(folder: string, rows: number): [string, MetadataValue][] {
  const file = join(folder, 'tokenizer.json');
  const json = readTokenizerJson(file);
  const model = json['model'] as JsonObject;
  if (model?.['type'] !== 'BPE')
    throw new EmacError(
      'data',
      `${file}: its model must be BPE to be written as GGUF, got ${String(model?.['type'])}; export a model with another tokenizer`,
    );
  // what tokenizer_config.json names beyond the rows has no embedding
  const own = new Set(((readJsonObject(file)['added_tokens'] ?? []) as AddedToken[]).map(({ id }) => id));
  const added = (json['added_tokens'] as AddedToken[]).filter(({ id }) => id < rows || own.has(id));
  const ids = new Map([
    ...Object.entries(model['vocab'] as Record<string, number>),
    ...added.map(({ content, id }): [string, number] => [content, id]),
  ]);
  const tokens = Array.from({ length: rows }, (_, id) => filler(id));
  for (const [token, id] of ids) {
    if (id >= rows)
      throw new EmacError(
        'data',
        `${file}: ids must be below ${rows}, the rows of the embedding table, ${JSON.stringify(token)} is ${id}; tokenizer and weights do not belong together`,
      );
    tokens[id] = token;
  }
  const isPieces = model['byte_fallback'] === true;
  const merges = (model['merges'] as (string | [string, string])[]).map(pairOf);
  return [
    [ggml('model'), isPieces ? 'llama' : 'gpt2'],
    [ggml('pre'), isPieces ? 'default' : nameOfSplitting(json, file)],
    [ggml('tokens'), { texts: tokens }],
    ...(isPieces
      ? ([[ggml('scores'), { floats: scoresOfMerges(tokens, merges, file) }]] as [string, MetadataValue][])
      : []),
    [ggml('token_type'), { integers: typesOf(tokens, { added, model, isPieces }) }],
    ...(isPieces
      ? []
      : ([[ggml('merges'), { texts: merges.map((merge) => merge.join(' ')) }]] as [string, MetadataValue][])),
    ...specialIds(folder, (token) => ids.get(token) ?? null),
    ...frame(json, file),
    ...(isPieces ? spacePrefix(json, file) : []),
    ...chatTemplate(folder),
  ];
}

function pairOf(merge: string | [string, string]): [string, string] {
  if (typeof merge !== 'string') return merge;
  const at = merge.indexOf(' ', 1);
  return [merge.slice(0, at), merge.slice(at + 1)];
}

function typesOf(
  tokens: readonly string[],
  { added, model, isPieces }: { added: readonly AddedToken[]; model: JsonObject; isPieces: boolean },
): number[] {
  const addedById = new Map(added.map((token) => [token.id, token]));
  return tokens.map((token, id) => {
    if (isPieces && token === model['unk_token']) return tokenTypes.unknown;
    const known = addedById.get(id);
    if (known) return known.special ? tokenTypes.control : tokenTypes.userDefined;
    if (token === filler(id)) return tokenTypes.unused;
    return isPieces && /^<0x[0-9A-F]{2}>$/.test(token) ? tokenTypes.byte : tokenTypes.normal;
  });
}

/** From `tokenizer_config.json` or `special_tokens_map.json` by name, else from `config.json`; further end tokens from `generation_config.json`. */
function specialIds(folder: string, idOf: (token: string) => number | null): [string, MetadataValue][] {
  const read = (name: string) => (isThere(join(folder, name)) ? readJsonObject(join(folder, name)) : {});
  const named = { ...read('special_tokens_map.json'), ...read('tokenizer_config.json') };
  const config = read('config.json');
  const find = (key: string): number | null => {
    const value = named[`${key}_token`];
    const content = typeof value === 'string' ? value : (value as JsonObject | null)?.['content'];
    if (typeof content === 'string') return idOf(content);
    const id = config[`${key}_token_id`];
    return typeof id === 'number' ? id : null;
  };
  const end = find('eos');
  const ends = [read('generation_config.json')['eos_token_id'] ?? []].flat().filter((id) => id !== end);
  const found: [string, unknown][] = [
    ['bos', find('bos')],
    ['eos', end],
    ['eot', ends[0]],
    ['eom', ends[1]],
    ['unknown', find('unk')],
    ['padding', find('pad')],
  ];
  return found.flatMap(([key, id]): [string, MetadataValue][] =>
    typeof id === 'number' ? [[ggml(`${key}_token_id`), id]] : [],
  );
}

/** Which tokens the template puts around a text. */
function frame(json: JsonObject, file: string): [string, MetadataValue][] {
  const parts = json['post_processor'] as JsonObject | null;
  const all = parts?.['type'] === 'Sequence' ? (parts['processors'] as JsonObject[]) : parts ? [parts] : [];
  const template = all.find(({ type }) => type !== 'ByteLevel');
  if (template && template['type'] !== 'TemplateProcessing')
    throw new EmacError(
      'data',
      `${file}: its post-processor must be a TemplateProcessing, got ${String(template['type'])}; it cannot be written as GGUF`,
    );
  const single = (template?.['single'] ?? []) as JsonObject[];
  const text = single.findIndex((part) => 'Sequence' in part);
  return [
    [ggml('add_bos_token'), text > 0],
    [ggml('add_eos_token'), text >= 0 && text < single.length - 1],
  ];
}

function spacePrefix(json: JsonObject, file: string): [string, MetadataValue][] {
  const metaspace = (json['pre_tokenizer'] ?? {}) as JsonObject;
  const isFirst = !json['normalizer'] && metaspace['prepend_scheme'] === 'first';
  return [
    [ggml('add_space_prefix'), prefixesSpace(json, file)],
    ...(isFirst ? [[spaceScheme, 'first'] as [string, MetadataValue]] : []),
  ];
}

/** Whether SentencePiece's space is put before a text. Errors: `data` for a normalizer that is not known. */
function prefixesSpace(json: JsonObject, file: string): boolean {
  const normalizer = json['normalizer'] as JsonObject | null;
  const metaspace = json['pre_tokenizer'] as JsonObject | null;
  if (!normalizer && metaspace?.['type'] === 'Metaspace')
    return fieldsOf(metaspace, file).text('prepend_scheme', 'always') !== 'never';
  const all =
    normalizer?.['type'] === 'Sequence' ? (normalizer['normalizers'] as JsonObject[]) : [normalizer];
  const types = all.map((each) => each?.['type']).join();
  if (types === 'Prepend,Replace') return true;
  if (types === 'Replace') return false;
  throw new EmacError(
    'data',
    `${file}: its normalizer must replace spaces as SentencePiece does, is ${JSON.stringify(normalizer)}; it cannot be written as GGUF`,
  );
}

function chatTemplate(folder: string): [string, MetadataValue][] {
  const jinja = join(folder, 'chat_template.jinja');
  const config = join(folder, 'tokenizer_config.json');
  const found = isThere(jinja) ? readText(jinja) : isThere(config) && readJsonObject(config)['chat_template'];
  return typeof found === 'string' ? [['tokenizer.chat_template', found]] : [];
}
