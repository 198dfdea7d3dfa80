/** What is asked of a model's eye where it has none. */
import { EmacError } from '@emac/core';

import type { ModelFiles } from '../files/model-files.ts';
import type { Vision } from './family.ts';

/** Throws `usage` for pictures given to a model that reads text alone. */
export function blind({ folder, family }: Pick<ModelFiles, 'folder' | 'family'>): never {
  throw new EmacError(
    'usage',
    `${folder}: is ${family.title} model, which reads text alone; give texts, or a model with a vision encoder`,
  );
}

/** How the model sees. Errors: `usage` where it reads text alone. */
export function visionOf(files: Pick<ModelFiles, 'folder' | 'family'>): Vision {
  return files.family.vision ?? blind(files);
}
