/** Action settings in an OpenVLA's `config.json`. No network reads them, so they are not part of the model identity. */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';

import { fieldsOf, readJsonObject, type JsonObject } from '../files/json-object.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { openVla } from './openvla.ts';

export interface OpenVlaActions {
  /** by dataset name, as published: `{ action: { q01, q99, mask, … }, … }` */
  readonly normStats: JsonObject;
  /** `n_action_bins` */
  readonly bins: number;
  /** V; action ids count down from it: rows of the language model's table less those that pad it */
  readonly vocabulary: number;
}

/** Errors: `usage` for other families, `config`. */
export function openVlaActions({
  folder,
  family,
  config,
}: Pick<ModelFiles, 'folder' | 'family' | 'config'>): OpenVlaActions {
  if (family.name !== openVla.name)
    throw new EmacError('usage', `${folder}: must be an OpenVLA model for this, got ${family.title} model`);
  const file = join(folder, 'config.json');
  const fields = fieldsOf(readJsonObject(file), file);
  const filled = fields.number('pad_to_multiple_of', 64);
  const vocabulary = config.llama.vocabulary - filled;
  if (!Number.isInteger(filled) || filled < 0 || vocabulary < 1)
    fields.fail('pad_to_multiple_of', `must be an integer below vocab_size ${config.llama.vocabulary}`);
  return {
    normStats: fields.object('norm_stats') ?? {},
    bins: fields.positiveInteger('n_action_bins', 256),
    vocabulary,
  };
}
