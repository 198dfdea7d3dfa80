/** Opening a model by its path: a folder, or a file that names parts. */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';
import { isFile } from '@emac/files';

import { openComposedModel } from './composed-model.ts';
import { familyOf } from '../families/families.ts';
import { instructBlip } from '../families/instructblip.ts';
import { imageProcessorFile } from './image-processor-file.ts';
import { readJsonObject } from './json-object.ts';
import type { ModelSource } from './model-source.ts';
import { renamed } from './tensor-table.ts';
import { openWeightFiles } from './weight-files.ts';

/** Opens a folder as Hugging Face publishes it, or the JSON file of a composed model. Errors: `missing`, `config`, `data`. */
export function openModelSource(place: string): ModelSource {
  if (!isFile(place)) return openModelFolder(place);
  if (place.endsWith('.json')) return { family: instructBlip, ...openComposedModel(place) };
  throw new EmacError(
    'data',
    `${place}: is not a model; give a folder as Hugging Face publishes it, or a .json file that names a model's parts`,
  );
}

function openModelFolder(folder: string): ModelSource {
  const file = join(folder, 'config.json');
  const object = readJsonObject(file);
  const family = familyOf(object, file);
  return {
    family,
    config: family.config(object, file),
    tensors: renamed(openWeightFiles(folder), (name) => family.nameOf(name)),
    readsText: true,
    companions: {
      tokenizer: join(folder, 'tokenizer.json'),
      qformerTokenizer: join(folder, 'qformer_tokenizer', 'tokenizer.json'),
      imageProcessor: imageProcessorFile(folder),
      generation: join(folder, 'generation_config.json'),
      beginToken: null,
    },
  };
}
