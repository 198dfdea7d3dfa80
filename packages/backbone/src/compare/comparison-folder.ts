/**
 * A comparison folder: a model, inputs, and the results of Hugging Face's transformers (stages, loss, gradients,
 * generated tokens). `fixture.json` lists the generations with their settings.
 */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';
import { openSafetensors, readFloat32, readInt64, type SafetensorsFile } from '@emac/files';
import type { Value } from '@emac/graph';

import { defaultSearch, type SearchOptions } from '../generation/search/search-options.ts';
import { fieldsOf, readJsonObject, type JsonObject } from '../files/json-object.ts';

export interface ExpectedGeneration {
  readonly key: string;
  /** row of the inputs, and how many of its tokens are the prompt (chat families: all before the answer) */
  readonly row: number;
  readonly promptLength: number;
  readonly options: Omit<SearchOptions, 'promptTokens' | 'biases' | 'allowed' | 'hasStopped'>;
}

export interface ComparisonFolder {
  /** B, and T of `input_ids` */
  readonly batch: number;
  readonly length: number;
  /** every tensor of `inputs.safetensors` */
  readonly inputs: Readonly<Record<string, Value>>;
  expected(name: string): Float32Array;
  expectedTokens(key: string): number[];
  readonly generations: readonly ExpectedGeneration[];
}

/** Reads inputs and settings. Errors: `missing`, `data`, `config`. */
export function openComparisonFolder(folder: string): ComparisonFolder {
  const inputs = openSafetensors(join(folder, 'inputs.safetensors'));
  const expected = openSafetensors(join(folder, 'expected.safetensors'));
  const [batch, length] = inputs.tensors.get('input_ids')?.shape ?? [];
  if (batch === undefined || length === undefined)
    throw new EmacError('data', `${inputs.path}: needs input_ids [B, T]`);
  return {
    batch,
    length,
    inputs: Object.fromEntries([...inputs.tensors.keys()].map((name) => [name, readValue(inputs, name)])),
    expected: (name) => readFloat32(expected, name),
    expectedTokens: (key) => [...readInt64(expected, key)].map(Number),
    generations: readGenerations(join(folder, 'fixture.json')),
  };
}

function readValue(file: SafetensorsFile, name: string): Value {
  const { dtype, shape } = file.tensors.get(name)!;
  return dtype === 'I64'
    ? { type: 'int64', shape, data: readInt64(file, name) }
    : { type: 'float32', shape, data: readFloat32(file, name) };
}

/** The generations that a `fixture.json` lists. Errors: `missing`, `config`. */
export function readGenerations(file: string): ExpectedGeneration[] {
  const list = readJsonObject(file)['generation'] ?? [];
  if (!Array.isArray(list)) throw new EmacError('config', `${file}: generation must be a list`);
  return list.map((entry: JsonObject, index) => readGeneration(entry, `${file}: generation[${index}]`));
}

function readGeneration(entry: JsonObject, place: string): ExpectedGeneration {
  const fields = fieldsOf(entry, place);
  const named = fields.text('definition', 'huggingface');
  const definition =
    named === 'huggingface' || named === 'lavis'
      ? named
      : fields.fail('definition', 'must be huggingface or lavis');
  return {
    key: fields.text('key', ''),
    row: fields.number('row', 0),
    promptLength: fields.number('prompt_length', 0),
    options: {
      definition,
      beams: fields.positiveInteger('num_beams', defaultSearch.beams),
      maxNewTokens: fields.positiveInteger('max_new_tokens', 20),
      minNewTokens: fields.number('min_new_tokens', defaultSearch.minNewTokens),
      lengthPenalty: fields.number('length_penalty', defaultSearch.lengthPenalty),
      repetitionPenalty: fields.number('repetition_penalty', defaultSearch.repetitionPenalty),
      earlyStopping: entry['early_stopping'] === 'never' ? 'never' : fields.boolean('early_stopping', false),
      endTokens: [fields.number('eos_token_id', 2)],
    },
  };
}
