/** A vision model with another last norm than its published one. */
import { EmacError } from '@emac/core';

import { asInstructBlip } from '../families/as-instructblip.ts';
import { modelFilesOf, type ModelFiles } from './model-files.ts';

/** The same model with other values and another ε for its last vision norm, in float32. Errors: `data` (shapes). */
export function withVisionNorm(files: ModelFiles, norm: VisionNorm): ModelFiles {
  const { folder, config } = asInstructBlip(files);
  const tensors = new Map(files.tensors);
  for (const part of ['weight', 'bias'] as const) {
    const name = `${visionNorm}.${part}`;
    const { shape } = tensors.get(name)!;
    const bytes = new Uint8Array(Float32Array.from(norm[part]).buffer);
    if (norm[part].length !== shape[0])
      throw new EmacError(
        'data',
        `${folder}: ${name} must have ${shape[0]} values, got ${norm[part].length}`,
      );
    tensors.set(name, { name, dtype: 'F32', shape, path: folder, bytes });
  }
  const vision = { ...config.vision, finalNormEpsilon: norm.epsilon };
  const changed = { ...config, vision };
  return modelFilesOf({ ...files, config: changed, tensors });
}

const visionNorm = 'vision_model.post_layernorm';

/** Parameters of the norm after the vision model's last layer, each [Dv]. */
export interface VisionNorm {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
  readonly epsilon: number;
}
