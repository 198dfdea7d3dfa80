/** A blind policy, to test whether a policy uses its pictures. */
import { EmacError, type Frame } from '@emac/core';
import type { StepTexts } from '@emac/rollout';
import type { StepAction } from './robots.ts';

/** Replaces every picture by black. Errors: `usage` if no picture is read. */
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
