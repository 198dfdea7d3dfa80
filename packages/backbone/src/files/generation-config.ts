/**
 * `generation_config.json`: a model folder's token ids and defaults for generation. The file is optional; without it
 * every field is null and the tokenizer's ids or the caller's settings decide.
 */

import { isThere } from '@emac/files';
import { fieldsOf, readJsonObject } from './json-object.ts';

export interface GenerationConfig {
  readonly beginToken: number | null;
  readonly padToken: number | null;
  /** any of these ends a sequence; empty if the file names none */
  readonly endTokens: readonly number[];
}

/** The ids of a `generation_config.json`. Errors: `config` naming the key. */
export function readGenerationConfig(file: string): GenerationConfig {
  if (!isThere(file)) return { beginToken: null, padToken: null, endTokens: [] };
  const object = readJsonObject(file);
  const fields = fieldsOf(object, file);
  const end = object['eos_token_id'];
  return {
    beginToken: fields.tokenId('bos_token_id'),
    padToken: fields.tokenId('pad_token_id'),
    endTokens: Array.isArray(end)
      ? end.map((_, index) => fieldsOf(end as never, `${file}: eos_token_id`).tokenId(String(index))!)
      : [fields.tokenId('eos_token_id')].filter((id) => id !== null),
  };
}
