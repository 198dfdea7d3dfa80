/**
 * The file with the settings of a folder's image processor. transformers 5 writes them into `processor_config.json`, under
 * `image_processor`; that object counts where both files are there. Before, they were `preprocessor_config.json`.
 */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';

import { fieldsOf, readJsonObject, type JsonObject } from './json-object.ts';

const [nested, alone] = ['processor_config.json', 'preprocessor_config.json'];

/** The path; it need not exist. Errors: `config` for a file that is no JSON object. */
export function imageProcessorFile(folder: string): string {
  const file = join(folder, nested);
  return isThere(file) && nestedIn(file, readJsonObject(file)) ? file : join(folder, alone);
}

/** The settings in the file. Errors: `missing` if there is none, `config`. */
export function readImageProcessor(file: string): JsonObject {
  if (!isThere(file))
    throw new EmacError('missing', `${file}: does not exist; copy it from the published model`);
  const object = readJsonObject(file);
  return nestedIn(file, object) ?? object;
}

function nestedIn(file: string, object: JsonObject): JsonObject | null {
  return fieldsOf(object, file).object('image_processor');
}
