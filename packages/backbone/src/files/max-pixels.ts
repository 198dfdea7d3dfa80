/** A model that sees less of large pictures, or more, than its image processor's file says. */
import { EmacError } from '@emac/core';

import { modelFilesOf, type ModelFiles } from './model-files.ts';

/** The same model with another limit on the pixels of a picture, in place of `max_pixels` of its file. Errors: `usage` for a family to which pixels mean nothing. */
export function withMaxPixels(files: ModelFiles, maxPixels: number): ModelFiles {
  const { family, folder } = files;
  if (family.limitsPixels) return modelFilesOf({ ...files, maxPixels });
  throw new EmacError(
    'usage',
    `--max-pixels ${maxPixels}: ${folder} is ${family.title} model, which scales every picture to sizes of its own; leave it out, or give own where a preset sets it`,
  );
}
