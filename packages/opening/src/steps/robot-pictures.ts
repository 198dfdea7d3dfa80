/** A model's view of a robot's camera. */
import type { Frame } from '@emac/core';
import { preparedPicture } from '@emac/vla';
import { isPlayedElsewhere } from '../environments/kind-of.ts';

/**
 * OpenVLA in LIBERO gets pictures as in its published evaluation: through a JPEG, 224 × 224, the middle nine tenths;
 * clients have rotated them already. All other pictures are unchanged.
 */
export function seenPicture(
  frame: Frame,
  { env, family }: { readonly env: string; readonly family: string },
): Frame {
  return family === 'openvla' && isPlayedElsewhere(env) ? preparedPicture(frame, { turn: false }) : frame;
}
