/**
 * The tokenizer class of a folder, as `AutoTokenizer` of transformers 4.57 finds it: `tokenizer_class` of `tokenizer_config.json`, then of
 * `config.json`, then the one of its `model_type`. A class adds tokens of its own and may write the template anew.
 * Departure: classes beyond these are refused, for transformers computes with them what `tokenizer.json` does not say.
 */
import { join } from '@emac/platform';

import { isThere } from '@emac/files';

import { fieldsOf, readJsonObject, type JsonObject } from './json-object.ts';

export interface TokenizerClass {
  readonly name: string;
  /** special tokens where the configuration names none */
  readonly tokens: Readonly<Record<string, string>>;
  /** keys of further special tokens */
  readonly further?: readonly string[];
  /** the template is written anew, with a begin token by default where true */
  readonly template?: { readonly begin: boolean };
  /** texts become special tokens that are not normalized, whatever `tokenizer.json` says */
  readonly remakesTokens?: boolean;
}

const sameText = (content: string, ...keys: string[]) =>
  Object.fromEntries(keys.map((key) => [`${key}_token`, content]));
const llama = { unk_token: '<unk>', bos_token: '<s>', eos_token: '</s>' };

const classes: Readonly<Record<string, Omit<TokenizerClass, 'name'>>> = {
  PreTrainedTokenizer: { tokens: {} },
  // of transformers 5
  TokenizersBackend: { tokens: {} },
  GPT2Tokenizer: { tokens: sameText('<|endoftext|>', 'unk', 'bos', 'eos') },
  Qwen2Tokenizer: { tokens: sameText('<|endoftext|>', 'unk', 'eos', 'pad'), remakesTokens: true },
  GPTNeoXTokenizer: { tokens: sameText('<|endoftext|>', 'unk', 'bos', 'eos'), template: { begin: false } },
  LlamaTokenizer: { tokens: llama, template: { begin: true } },
  CodeLlamaTokenizer: {
    tokens: {
      ...llama,
      prefix_token: '▁<PRE>',
      middle_token: '▁<MID>',
      suffix_token: '▁<SUF>',
      eot_token: '▁<EOT>',
    },
    further: ['prefix_token', 'middle_token', 'suffix_token', 'eot_token'],
    template: { begin: true },
  },
  GemmaTokenizer: {
    tokens: { unk_token: '<unk>', bos_token: '<bos>', eos_token: '<eos>', pad_token: '<pad>' },
    template: { begin: true },
  },
  BertTokenizer: {
    tokens: {
      unk_token: '[UNK]',
      sep_token: '[SEP]',
      pad_token: '[PAD]',
      cls_token: '[CLS]',
      mask_token: '[MASK]',
    },
  },
};

/** of the families here; InstructBLIP's tokenizer is its language model's, so that its `model_type` says nothing */
const byModel: Readonly<Record<string, string>> = {
  ...sameClass('LlamaTokenizer', 'llama', 'mistral', 'llava', 'llava_next', 'idefics3'),
  ...sameClass('Qwen2Tokenizer', 'qwen2', 'qwen3', 'qwen2_vl', 'qwen2_5_vl', 'qwen3_vl'),
  ...sameClass('GemmaTokenizer', 'gemma3', 'gemma3_text'),
  ...sameClass('BertTokenizer', 'bert'),
};

function sameClass(name: string, ...models: string[]): Record<string, string> {
  return Object.fromEntries(models.map((model) => [model, name]));
}

/** Errors: `config` naming a class that is not known. */
export function tokenizerClass(folder: string, config: JsonObject): TokenizerClass {
  const place = join(folder, 'tokenizer_config.json');
  const model = isThere(join(folder, 'config.json')) ? readJsonObject(join(folder, 'config.json')) : {};
  const own = fieldsOf(config, place);
  const ofModel = fieldsOf(model, join(folder, 'config.json'));
  const named = own.text('tokenizer_class', ofModel.text('tokenizer_class', ''));
  const name = (named || (byModel[ofModel.text('model_type', '')] ?? 'PreTrainedTokenizer')).replace(
    /Fast$/,
    '',
  );
  const found = classes[name];
  if (found) return { name, ...found };
  const rule = `must be one of ${Object.keys(classes).join(', ')}, with or without Fast (other classes compute what tokenizer.json does not say)`;
  return (own.isNull('tokenizer_class') || own.given('tokenizer_class') === null ? ofModel : own).fail(
    'tokenizer_class',
    rule,
  );
}
