/** What a policy does that sees nothing, which tells whether it looks. */
import { EmacError, type Frame } from '@emac/core';
import type { StepTexts } from '@emac/rollout';
import type { StepAction } from './robots.ts';

/** Black in place of every picture. Errors: `usage` where no picture is read. */
export function withBlankFrames(texts: StepTexts<StepAction>): StepTexts<StepAction> {
  if (!texts.frames)
    throw new EmacError(
      'usage',
      '--observe text: gives blank pictures, but this policy reads no picture; leave it out',
    );
  return { ...texts, prompt: (seen) => texts.prompt({ ...seen, frame: blankOf(seen.frame!) }) };
}

function blankOf({ data, ...size }: Frame): Frame {
  return { ...size, data: new Uint8Array(data.length) };
}
