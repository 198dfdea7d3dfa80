/** The known families, by the `model_type` of their `config.json`. */
import { EmacError } from '@emac/core';

import type { JsonObject } from '../files/json-object.ts';
import type { Family } from './family.ts';
import { idefics3, smolVlm } from './idefics3.ts';
import { instructBlip } from './instructblip.ts';
import { llava } from './llava.ts';
import { llavaNext } from './llava-next.ts';
import { openVla } from './openvla.ts';
import { qwen25Vl, qwen2Vl } from './qwen-vl.ts';
import { qwen3Vl } from './qwen3-vl.ts';
import { gemma3Text, llamaText, mistralText, qwen2Text, qwen3Text } from './text.ts';

export const families: readonly Family[] = [
  instructBlip,
  qwen2Vl,
  qwen25Vl,
  qwen3Vl,
  llavaNext,
  llava,
  openVla,
  idefics3,
  smolVlm,
  llamaText,
  mistralText,
  qwen2Text,
  qwen3Text,
  gemma3Text,
];

/** The family of a `config.json`; without `model_type` it is InstructBLIP's. Errors: `config` naming those known. */
export function familyOf(object: JsonObject, place: string): Family {
  const type = object['model_type'] ?? instructBlip.name;
  const found = families.find(({ name }) => name === type);
  if (found) return found;
  throw new EmacError(
    'config',
    `${place}: model_type must be one of ${families.map(({ name }) => name).join(', ')}, got ${JSON.stringify(type)}; other families are not supported`,
  );
}
