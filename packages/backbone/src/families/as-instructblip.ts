/** Access to InstructBLIP's own parts. */
import { EmacError } from '@emac/core';

import type { InstructBlipConfig } from '../files/model-config.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { instructBlip } from './instructblip.ts';

/** The same files typed as a model of this family. Errors: `usage` for other families. */
export function asInstructBlip(files: ModelFiles): ModelFiles<InstructBlipConfig> {
  if (files.family.name === instructBlip.name) return files as ModelFiles<InstructBlipConfig>;
  throw new EmacError(
    'usage',
    `${files.folder}: must be an InstructBLIP model for this, got ${files.family.title} model`,
  );
}
