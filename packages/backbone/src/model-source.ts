/** What a model is opened from, whichever way its files are laid out. */
import { join } from 'node:path';

import { EmacError } from '@emac/core';
import { isFile } from '@emac/files';

import { openComposedModel } from './composed-model.ts';
import { readModelConfig, type ModelConfig } from './model-config.ts';
import type { TensorTable } from './tensor-table.ts';
import { openWeightFiles } from './weight-files.ts';

/** Files that decide what the networks read and say; they need not exist. */
export interface Companions {
  readonly tokenizer: string;
  readonly qformerTokenizer: string;
  readonly imageProcessor: string;
  readonly generation: string;
  /** the token that every text begins with; null where the tokenizer's files decide */
  readonly beginToken: string | null;
}

export interface ModelSource {
  readonly config: ModelConfig;
  readonly tensors: TensorTable;
  readonly companions: Companions;
  /** false where the Q-Former was saved without what reads text */
  readonly readsText: boolean;
}

/** Opens a folder in InstructBLIP layout, or a JSON file that names a composed model's parts. Errors: `missing`, `config`, `data`. */
export function openModelSource(place: string): ModelSource {
  if (!isFile(place)) return openModelFolder(place);
  if (place.endsWith('.json')) return openComposedModel(place);
  throw new EmacError(
    'data',
    `${place}: is no model; give a folder in InstructBLIP layout, or a .json file that names a model's parts`,
  );
}

function openModelFolder(folder: string): ModelSource {
  return {
    config: readModelConfig(folder),
    tensors: openWeightFiles(folder),
    readsText: true,
    companions: {
      tokenizer: join(folder, 'tokenizer.json'),
      qformerTokenizer: join(folder, 'qformer_tokenizer', 'tokenizer.json'),
      imageProcessor: join(folder, 'preprocessor_config.json'),
      generation: join(folder, 'generation_config.json'),
      beginToken: null,
    },
  };
}
