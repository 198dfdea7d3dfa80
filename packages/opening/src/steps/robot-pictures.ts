/** What a model sees of a robot's camera. */
import type { Frame } from '@emac/core';
import { preparedPicture } from '@emac/vla';
import { isPlayedElsewhere } from '../environments/kind-of.ts';

/**
 * OpenVLA in LIBERO sees what its published evaluation shows it: through a JPEG, 224 × 224, the middle nine tenths; clients have turned it already. All else is seen
 * as it is.
 */
export function seenPicture(
  frame: Frame,
  { env, family }: { readonly env: string; readonly family: string },
): Frame {
  return family === 'openvla' && isPlayedElsewhere(env) ? preparedPicture(frame, { turn: false }) : frame;
}
