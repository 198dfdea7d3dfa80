/** What a browser has of tiktoken: its names. The tables of its encodings have megabytes. */
import { EmacError } from '@emac/core';
import encodings from 'tiktoken/model_to_encoding.json' with { type: 'json' };

/** The encoding's name. Errors: a model that tiktoken does not know. */
export function get_encoding_name_for_model(model: string): string {
  const name = (encodings as Readonly<Record<string, string>>)[model];
  if (name === undefined) throw new Error(`unknown model ${model}`);
  return name;
}

/** Errors: `unavailable`, always. */
export function get_encoding(encoding: string): never {
  throw new EmacError(
    'unavailable',
    `tokens of ${encoding}: are counted in Node only; give a limit in another unit, or train with Node`,
  );
}
