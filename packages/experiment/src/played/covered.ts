/**
 * Where a policy looks in a picture: each part is covered with the picture's mean colour, and the choice's log-probability is read again.
 * This works for every policy that sees; attention maps exist for some networks only, and where a network attends need not matter for what it says.
 */
import { EmacError, type Frame } from '@emac/core';
import type { CoveredParts } from '@emac/pages/data';
import type { PlayedMoment, Weighing } from '../player.ts';

/** parts on each side, at most */
const most = 8;

/** Errors: `usage` for a policy without probabilities, a state without a picture, or a choice that is not listed. */
export async function coveredParts(weighing: Weighing | null, moment: PlayedMoment): Promise<CoveredParts> {
  const [frame] = moment.observation.frames;
  const { admissible } = moment.observation;
  if (!weighing || !frame || !admissible)
    throw new EmacError('usage', 'cover: needs a policy with probabilities, a picture and listed commands');
  const whole = await weighing.weigh(moment);
  const place = admissible.indexOf(whole.action);
  if (place < 0 || !whole.logProbabilities)
    throw new EmacError('usage', `cover: the choice must be a listed command, got ${whole.action}`);
  const [columns, rows] = [Math.min(most, frame.width), Math.min(most, frame.height)];
  const changes: number[] = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const frames = [
        covered(frame, {
          left: column / columns,
          right: (column + 1) / columns,
          top: row / rows,
          bottom: (row + 1) / rows,
        }),
      ];
      const { logProbabilities } = await weighing.weigh({
        ...moment,
        observation: { ...moment.observation, frames },
      });
      changes.push(logProbabilities![place]! - whole.logProbabilities[place]!);
    }
  return { columns, rows, changes, choice: whole.action };
}

/** Edges of a part, as shares of the picture. */
interface Part {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The picture with a part in its mean colour. */
export function covered({ width, height, data }: Frame, { left, right, top, bottom }: Part): Frame {
  const mean = [0, 1, 2].map((channel) => {
    let sum = 0;
    for (let at = channel; at < data.length; at += 3) sum += data[at]!;
    return Math.round(sum / (width * height));
  });
  const copy = Uint8Array.from(data);
  for (let y = Math.floor(top * height); y < Math.floor(bottom * height); y++)
    for (let x = Math.floor(left * width); x < Math.floor(right * width); x++)
      copy.set(mean, (y * width + x) * 3);
  return { width, height, data: copy };
}
