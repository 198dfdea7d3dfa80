/**
 * From a camera of LIBERO to what OpenVLA was trained on: turned by 180 degrees, through a JPEG, Lanczos-3 to 224 × 224, and the middle nine
 * tenths where training cropped at random.
 */
import type { Frame } from '@emac/core';
import { cropCentre } from './crop.ts';
import { rotate180 } from './frames.ts';
import { throughJpeg } from './jpeg/through-jpeg.ts';
import { resizeLanczos } from './resize.ts';

export interface PreparationOptions {
  /** by 180 degrees, for a camera's picture that was not turned yet; true by default */
  readonly turn?: boolean;
  /** pixels of both sides; 224 by default */
  readonly side?: number;
  /** whether the middle nine tenths are seen, for models that were fine-tuned on random crops; true by default */
  readonly crop?: boolean;
}

/** What the model sees of a camera's picture. Errors: `data`; `usage` for a side that is none. */
export function preparedPicture(
  camera: Frame,
  { turn = true, side = 224, crop = true }: PreparationOptions = {},
): Frame {
  const upright = turn ? rotate180(camera) : camera;
  const small = resizeLanczos(throughJpeg(upright), { width: side, height: side });
  return crop ? cropCentre(small) : small;
}
