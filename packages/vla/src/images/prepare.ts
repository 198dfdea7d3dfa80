/**
 * From a LIBERO camera to OpenVLA's training input: rotated by 180 degrees, JPEG-compressed, Lanczos-3 to 224 × 224, and the middle nine
 * tenths, because training cropped at random.
 */
import type { Frame } from '@emac/core';
import { cropCentre } from './crop.ts';
import { rotate180 } from './frames.ts';
import { throughJpeg } from './jpeg/through-jpeg.ts';
import { resizeLanczos } from './resize.ts';

export interface PreparationOptions {
  /** rotate by 180 degrees, for unrotated camera pictures; default true */
  readonly turn?: boolean;
  /** pixels per side; default 224 */
  readonly side?: number;
  /** keep the middle nine tenths, for models fine-tuned on random crops; default true */
  readonly crop?: boolean;
}

/** The model's view of a camera's picture. Errors: `data`; `usage` for an invalid side. */
export function preparedPicture(
  camera: Frame,
  { turn = true, side = 224, crop = true }: PreparationOptions = {},
): Frame {
  const upright = turn ? rotate180(camera) : camera;
  const small = resizeLanczos(throughJpeg(upright), { width: side, height: side });
  return crop ? cropCentre(small) : small;
}
