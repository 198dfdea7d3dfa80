/** A model that sees large pictures in less or more detail than its image processor's file says. */
import { EmacError } from '@emac/core';

import { modelFilesOf, type ModelFiles } from './model-files.ts';

/** The same model with another pixel limit per picture, in place of its file's `max_pixels`. Errors: `usage` for a family without such a limit. */
export function withMaxPixels(files: ModelFiles, maxPixels: number): ModelFiles {
  const { family, folder } = files;
  if (family.vision?.limitsPixels) return modelFilesOf({ ...files, maxPixels });
  throw new EmacError(
    'usage',
    `--max-pixels ${maxPixels}: ${folder} is ${family.title} model, which ${family.vision ? 'scales every picture to its own sizes' : 'reads text alone'}; leave it out, or give own if a preset sets it`,
  );
}
