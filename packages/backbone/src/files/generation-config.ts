/**
 * `generation_config.json`: a model folder's token ids and defaults for generation. The file is optional; without it
 * every field is empty, and the tokenizer's ids or the caller's settings decide.
 *
 * Which tokens end a text, and which a model must or may not say, belongs to the model: it is read, or refused by name. How a text is
 * searched or drawn (`temperature`, `num_beams` and others) is a setting of every caller here, so that a run does not hang on a file.
 * Departure: ids of `config.json` do not stand in for a file that is missing.
 */

import { isThere } from '@emac/files';
import type { TokenBias } from '../generation/search/score-rules.ts';
import { fieldsOf, readJsonObject, type Fields, type JsonObject } from './json-object.ts';

export interface GenerationConfig {
  readonly beginToken: number | null;
  readonly padToken: number | null;
  /** any of these ends a sequence; empty if the file names none */
  readonly endTokens: readonly number[];
  /** tokens that the model must not say, or is to say more or less often */
  readonly biases: readonly TokenBias[];
  /** keys of the file that a caller's own settings stand for, with their values */
  readonly overruled: JsonObject;
}

/** Keys that a caller's settings stand for. */
const callers = [
  ...[
    'do_sample',
    'temperature',
    'top_k',
    'top_p',
    'min_p',
    'top_h',
    'typical_p',
    'epsilon_cutoff',
    'eta_cutoff',
  ],
  ...['num_beams', 'length_penalty', 'early_stopping', 'repetition_penalty', 'renormalize_logits'],
  ...['max_length', 'max_new_tokens', 'min_length', 'min_new_tokens', 'max_time', 'num_return_sequences'],
] as const;

/** Rules that no search here has, with the values that change nothing. */
const foreign: Readonly<Record<string, readonly unknown[]>> = {
  no_repeat_ngram_size: [0],
  encoder_no_repeat_ngram_size: [0],
  encoder_repetition_penalty: [1],
  exponential_decay_length_penalty: [],
  forced_eos_token_id: [],
  stop_strings: [],
  guidance_scale: [1],
  watermarking_config: [],
  token_healing: [false],
  penalty_alpha: [0],
  dola_layers: [],
  num_beam_groups: [1],
  diversity_penalty: [0],
  constraints: [],
  force_words_ids: [],
};

/** Errors: `config` naming the key. */
export function readGenerationConfig(file: string): GenerationConfig {
  if (!isThere(file)) return { beginToken: null, padToken: null, endTokens: [], biases: [], overruled: {} };
  const object = readJsonObject(file);
  const fields = fieldsOf(object, file);
  refuseForeign(object, fields);
  const endTokens = idsOf(object, 'eos_token_id', file);
  return {
    beginToken: fields.tokenId('bos_token_id'),
    padToken: fields.tokenId('pad_token_id'),
    endTokens,
    biases: [
      ...idsOf(object, 'suppress_tokens', file).map((id) => ({ tokens: [id], bias: -Infinity })),
      ...idsOf(object, 'begin_suppress_tokens', file).map((id) => ({
        tokens: [id],
        bias: -Infinity,
        first: true,
      })),
      ...badWords(object, file, endTokens),
      ...sequenceBiases(object, fields),
    ],
    overruled: Object.fromEntries(
      callers.flatMap((key) => (object[key] == null ? [] : [[key, object[key]]])),
    ),
  };
}

/** Errors: `config` for a rule that changes what is generated. */
function refuseForeign(object: JsonObject, { fail }: Fields): void {
  for (const [key, same] of Object.entries(foreign))
    if (object[key] != null && !same.includes(object[key]))
      fail(
        key,
        `is a rule of generation that is not supported, and must be ${same.length ? JSON.stringify(same[0]) : 'null'}; remove it, and answers come without it`,
      );
}

/** One id or a list of them; none where the key is missing. */
function idsOf(object: JsonObject, key: string, file: string): number[] {
  const given = object[key] ?? [];
  if (!Array.isArray(given)) return [fieldsOf(object, file).tokenId(key)!];
  return given.map((_, index) => fieldsOf(given as never, `${file}: ${key}`).tokenId(String(index))!);
}

/** As in transformers, an end token is no bad word. */
function badWords(object: JsonObject, file: string, endTokens: readonly number[]): TokenBias[] {
  const words = object['bad_words_ids'] ?? [];
  if (!Array.isArray(words))
    return fieldsOf(object, file).fail('bad_words_ids', 'must be a list of lists of ids');
  return words
    .map((_, index) => ({
      tokens: idsOf(words as never, String(index), `${file}: bad_words_ids`),
      bias: -Infinity,
    }))
    .filter(
      ({ tokens: [id, ...others] }) => id !== undefined && (others.length > 0 || !endTokens.includes(id)),
    );
}

function sequenceBiases(object: JsonObject, { fail }: Fields): TokenBias[] {
  const isBias = (each: unknown): each is [number[], number] =>
    Array.isArray(each) &&
    Number.isFinite(each[1]) &&
    Array.isArray(each[0]) &&
    each[0].length > 0 &&
    each[0].every((id) => Number.isInteger(id) && id >= 0);
  const given = object['sequence_bias'] ?? [];
  if (!Array.isArray(given) || !given.every(isBias))
    return fail('sequence_bias', 'must be a list of lists of ids with a bias each, such as [[[5, 7], -1.5]]');
  return given.map(([tokens, bias]) => ({ tokens, bias }));
}
