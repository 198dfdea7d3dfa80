/**
 * A tokenizer as GGUF's metadata has it, `tokenizer.ggml.*`. Two models are known: `gpt2`, BPE over bytes with merges, and `llama`,
 * SentencePiece's BPE with scores and a token for each byte.
 */
import { EmacError, repeated } from '@emac/core';
import { fieldsOf, type Fields } from '@emac/backbone';

import type { GgufFile } from '../file/gguf-file.ts';
import { llama3Names } from './pre-tokenizers.ts';

/** `tokenizer.ggml.token_type` (llama.h, `llama_token_type`) */
export const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface Vocabulary {
  readonly kind: 'gpt2' | 'llama';
  /** by id */
  readonly tokens: readonly string[];
  /** by id */
  readonly types: readonly number[];
  /** by id; only of `llama` */
  readonly scores: readonly number[];
  /** two tokens with a space between them, the first merge first; only of `gpt2` */
  readonly merges: readonly string[];
  /** name of the pre-tokenizer; only of `gpt2` */
  readonly pre: string;
  /** false: the file names none, so `pre` is llama.cpp's `default`, which splits most families' texts wrongly */
  readonly isPreNamed: boolean;
  readonly begin: number | null;
  readonly end: number | null;
  /** further tokens that end an answer: end of turn, end of message */
  readonly furtherEnds: readonly number[];
  readonly unknown: number | null;
  readonly pad: number | null;
  /** tokens around every text */
  readonly addBegin: boolean;
  readonly addEnd: boolean;
  /** a space before every text; only of `llama` */
  readonly addSpace: boolean;
  /** that space stands before the first piece of a text alone, not behind special tokens */
  readonly isSpaceFirst: boolean;
  readonly chatTemplate: string | null;
}

/** a key of ours: GGUF has no word for it, and llama.cpp puts the space behind special tokens too */
export const spaceScheme = 'emac.tokenizer.prepend_scheme';

export const ggml = (key: string): string => `tokenizer.ggml.${key}`;

/** pre-tokenizers with a begin token before every text, unless the file says otherwise (llama-vocab.cpp) */
const beginsTexts: ReadonlySet<string> = new Set(llama3Names);

/** Errors: `config` naming a key; `data` for a tokenizer that does not exist or whose lists do not fit together. */
export function vocabularyOf({ path, metadata }: GgufFile, rows: number): Vocabulary {
  const fields = fieldsOf(metadata, path);
  const kind = fields.text(ggml('model'), 'none');
  if (kind !== 'gpt2' && kind !== 'llama')
    throw new EmacError(
      'data',
      `${path}: ${ggml('model')} must be gpt2 or llama, got ${kind}; this tokenizer is not supported`,
    );
  const list = <T>(key: string, kindOf: 'string' | 'number', length: number | null): T[] => {
    const value = metadata[ggml(key)];
    const fits =
      Array.isArray(value) &&
      (length === null || value.length === length) &&
      value.every((each) => typeof each === kindOf);
    if (fits) return value as T[];
    throw new EmacError(
      'data',
      `${path}: ${ggml(key)} must be a list of ${length ?? 'some'} ${kindOf === 'string' ? 'texts' : 'numbers'}; use an intact file`,
    );
  };
  // an empty token gets a name of its own, as in llama.cpp
  const tokens = list<string>('tokens', 'string', null).map((token, id) => token || `[EMPTY_${id}]`);
  if (tokens.length > rows)
    throw new EmacError(
      'data',
      `${path}: has ${tokens.length} tokens, must have at most as many as rows of token_embd.weight, ${rows}; use an intact file`,
    );
  // ids of equal tokens cannot be told apart; llama.cpp refuses them too
  const twice = repeated(tokens);
  if (twice !== undefined)
    throw new EmacError(
      'data',
      `${path}: ${ggml('tokens')} must be different, ${JSON.stringify(twice)} is there twice; use an intact file`,
    );
  const named = fields.text(ggml('pre'), '');
  const pre = named === '' ? 'default' : named;
  const isPieces = kind === 'llama';
  const flag = (key: string, fallback: boolean) => fields.boolean(ggml(key), fallback);
  const id = idsOf(fields, tokens.length);
  return {
    kind,
    tokens,
    types: metadata[ggml('token_type')] ? list('token_type', 'number', tokens.length) : tokens.map(() => 1),
    scores: isPieces ? list('scores', 'number', tokens.length) : [],
    merges: isPieces ? [] : list('merges', 'string', null),
    pre,
    isPreNamed: named !== '',
    begin: id('bos', isPieces ? 1 : null),
    end: id('eos', isPieces ? 2 : null),
    furtherEnds: [id('eot'), id('eom')].filter((each) => each !== null),
    unknown: id('unknown', isPieces ? 0 : null),
    pad: id('padding'),
    addBegin: flag('add_bos_token', isPieces || beginsTexts.has(pre)),
    addEnd: flag('add_eos_token', false),
    addSpace: flag('add_space_prefix', isPieces),
    isSpaceFirst: fields.text(spaceScheme, 'always') === 'first',
    chatTemplate:
      metadata['tokenizer.chat_template'] === undefined ? null : fields.text('tokenizer.chat_template', ''),
  };
}

function idsOf(fields: Fields, count: number): (name: string, usual?: number | null) => number | null {
  return (name, usual = null) => {
    const key = ggml(`${name}_token_id`);
    const found = fields.tokenId(key) ?? usual;
    if (found !== null && found >= count) fields.fail(key, `must be below the number of tokens, ${count}`);
    return found;
  };
}
