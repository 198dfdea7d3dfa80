/**
 * A model published in separate parts, as LAVIS loads InstructBLIP-Vicuna: the trained parts and the vision model as
 * `.pth` files under LAVIS's names, the language model as a Hugging Face folder. A JSON file names them. Sizes come
 * from the tensors' shapes and the language model's own configuration.
 */
import { dirname, join, resolve } from '@emac/platform';

import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';

import { composedConfig } from './composed-config.ts';
import { fieldsOf, readJsonObject, type JsonObject } from './json-object.ts';
import { fromEva, fromLavis, joinBiases } from './lavis-names.ts';
import type { ModelSource } from './model-source.ts';
import { mergedTables, renamed, type TensorTable } from './tensor-table.ts';
import { readTorchTensors } from './torch/torch-file.ts';
import { openWeightFiles } from './weight-files.ts';

const known = [
  'lavis',
  'vision',
  'language_model',
  'tokenizer',
  'qformer_tokenizer',
  'image_processor',
  'begin_token',
  'config',
];
/** LAVIS begins every text with the end token of Vicuna's tokenizer */
const lavisBeginToken = '</s>';

/** Opens the parts named in `file`, relative to its folder. Errors: `missing`, `config` for the file itself, `data`. */
export function openComposedModel(file: string): Omit<ModelSource, 'family'> {
  const object = readJsonObject(file);
  const fields = fieldsOf(object, file);
  refuseUnknown(object, file);
  const path = (key: string): string | null => {
    const name = fields.text(key, '');
    return name === '' ? null : existing(resolve(dirname(file), name), `${file}: ${key}`);
  };
  const lavis = path('lavis') ?? fields.fail('lavis', 'must name a .pth file');
  const folder = path('language_model') ?? fields.fail('language_model', 'must name a folder');
  const tensors = tensorsOf({ lavis, vision: path('vision'), folder });
  return {
    config: composedConfig({ tensors, folder, overrides: fields.object('config') ?? {}, place: file }),
    tensors,
    readsText: tensors.has('qformer.embeddings.word_embeddings.weight'),
    companions: {
      tokenizer: path('tokenizer') ?? join(folder, 'tokenizer.json'),
      qformerTokenizer:
        path('qformer_tokenizer') ?? join(dirname(file), 'qformer_tokenizer', 'tokenizer.json'),
      imageProcessor: path('image_processor') ?? join(dirname(file), 'preprocessor_config.json'),
      generation: join(folder, 'generation_config.json'),
      beginToken: fields.text('begin_token', lavisBeginToken),
    },
  };
}

function tensorsOf(parts: { lavis: string; vision: string | null; folder: string }): TensorTable {
  const tables = [readTorchTensors(parts.lavis, fromLavis)];
  if (parts.vision !== null)
    tables.push(readTorchTensors(parts.vision, (name) => fromEva(name.replace(/^visual_encoder\./, ''))));
  tables.push(renamed(openWeightFiles(parts.folder), (name) => `language_model.${name}`));
  return joinBiases(mergedTables(tables));
}

function refuseUnknown(object: JsonObject, file: string): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new EmacError('config', `${file}: must only have the keys ${known.join(', ')}, got ${unknown}`);
}

function existing(path: string, place: string): string {
  if (isThere(path)) return path;
  throw new EmacError('missing', `${place}: ${path} does not exist; paths are relative to the file's folder`);
}
