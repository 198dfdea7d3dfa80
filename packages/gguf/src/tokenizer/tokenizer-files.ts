/**
 * The files of a tokenizer in a model folder, from GGUF's metadata: `tokenizer.json`, `tokenizer_config.json` with the chat template,
 * `generation_config.json`. Control tokens become special tokens, user-defined tokens become added tokens.
 * Converters fill a table with `[PAD…]`; these ids get no token.
 */
import type { JsonObject } from '@emac/backbone';

import { mergesOfScores } from './piece-merges.ts';
import { splitting } from './pre-tokenizers.ts';
import { tokenTypes, type Vocabulary } from './vocabulary.ts';

/** the name of an id that has no token */
export const filler = (id: number): string => `[PAD${id}]`;

/** for a space, in SentencePiece's tokens */
const space = '▁';

/** Errors: `data` for a pre-tokenizer that is not known. */
export function tokenizerJson(vocabulary: Vocabulary, place: string): JsonObject {
  const { kind } = vocabulary;
  const parts = kind === 'gpt2' ? byteLevel(vocabulary, place) : pieces(vocabulary);
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: addedTokens(vocabulary).map(({ id, content, special }) => ({
      id,
      content,
      ...unchanged,
      special,
    })),
    normalizer: parts.normalizer,
    pre_tokenizer: parts.preTokenizer,
    post_processor: frame(vocabulary),
    decoder: parts.decoder,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: parts.unknown,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: kind === 'llama',
      byte_fallback: kind === 'llama',
      ignore_merges: parts.ignoreMerges,
      vocab: Object.fromEntries(usedTokens(vocabulary)),
      merges: parts.merges,
    },
  };
}

interface Parts {
  readonly normalizer: JsonObject | null;
  readonly preTokenizer: JsonObject | null;
  readonly decoder: JsonObject;
  readonly unknown: string | null;
  readonly ignoreMerges: boolean;
  readonly merges: readonly (readonly string[])[];
}

function byteLevel({ pre, merges }: Vocabulary, place: string): Parts {
  return {
    ...splitting(pre, place),
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    unknown: null,
    merges: merges.map((merge) => {
      const at = merge.indexOf(' ', 1);
      return [merge.slice(0, at), merge.slice(at + 1)];
    }),
  };
}

function pieces({ tokens, scores, types, unknown, addSpace, isSpaceFirst }: Vocabulary): Parts {
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: space };
  const decoders = [
    { type: 'Replace', pattern: { String: space }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
    ...(addSpace ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
  ];
  return {
    ...(isSpaceFirst
      ? {
          normalizer: null,
          preTokenizer: { type: 'Metaspace', replacement: space, prepend_scheme: 'first', split: false },
        }
      : {
          normalizer: addSpace
            ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: space }, spaces] }
            : spaces,
          preTokenizer: null,
        }),
    decoder: { type: 'Sequence', decoders },
    unknown: unknown === null ? null : tokens[unknown]!,
    ignoreMerges: false,
    merges: mergesOfScores(tokens, scores, types),
  };
}

/** The tokens that every text begins and ends with; null without. */
function frame({ tokens, begin, end, addBegin, addEnd }: Vocabulary): JsonObject | null {
  const before = addBegin && begin !== null ? [begin] : [];
  const after = addEnd && end !== null ? [end] : [];
  if (before.length + after.length === 0) return null;
  const special = (id: number, type_id: number) => ({ SpecialToken: { id: tokens[id], type_id } });
  const text = (name: 'A' | 'B', type_id: number) => [
    ...before.map((id) => special(id, type_id)),
    { Sequence: { id: name, type_id } },
    ...after.map((id) => special(id, type_id)),
  ];
  const used = [...new Set([...before, ...after])];
  return {
    type: 'TemplateProcessing',
    single: text('A', 0),
    pair: [...text('A', 0), ...text('B', 1)],
    special_tokens: Object.fromEntries(
      used.map((id) => [tokens[id], { id: tokens[id], ids: [id], tokens: [tokens[id]] }]),
    ),
  };
}

const unchanged = { single_word: false, lstrip: false, rstrip: false, normalized: false };

function addedTokens({ tokens, types }: Vocabulary): { id: number; content: string; special: boolean }[] {
  const { unknown, control, userDefined } = tokenTypes;
  return tokens.flatMap((content, id) =>
    ([unknown, control, userDefined] as number[]).includes(types[id]!) && content !== filler(id)
      ? [{ id, content, special: types[id] !== userDefined }]
      : [],
  );
}

function usedTokens({ tokens }: Vocabulary): [string, number][] {
  return tokens
    .map((token, id): [string, number] => [token, id])
    .filter(([token, id]) => token !== filler(id));
}

export function tokenizerConfig(vocabulary: Vocabulary, positions: number): JsonObject {
  const { tokens, begin, end, unknown, pad, chatTemplate } = vocabulary;
  const named = (key: string, id: number | null) => (id === null ? {} : { [key]: tokens[id] });
  return {
    added_tokens_decoder: Object.fromEntries(
      addedTokens(vocabulary).map(({ id, content, special }) => [id, { content, ...unchanged, special }]),
    ),
    ...named('bos_token', begin),
    ...named('eos_token', end),
    ...named('unk_token', unknown),
    ...named('pad_token', pad),
    clean_up_tokenization_spaces: false,
    model_max_length: positions,
    tokenizer_class: 'PreTrainedTokenizerFast',
    ...(chatTemplate !== null && { chat_template: chatTemplate }),
  };
}

export function generationConfig({ begin, end, furtherEnds, pad }: Vocabulary): JsonObject {
  const ends = [...new Set([...(end === null ? [] : [end]), ...furtherEnds])];
  return {
    ...(begin !== null && { bos_token_id: begin }),
    ...(ends.length > 0 && { eos_token_id: ends.length === 1 ? ends[0] : ends }),
    ...(pad !== null && { pad_token_id: pad }),
  };
}
