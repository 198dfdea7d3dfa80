/**
 * Prompts of different lengths as one block: visual tokens, padding, text. Padding has a place and a segment of its
 * own, which nobody sees, and no position counts it.
 */
import { EmacError } from '@emac/core';
import type { Feeds } from '@emac/graph';

import { integers } from './integers.ts';
import type { Prompt } from './prompt-reader.ts';

export interface PaddedPrompts {
  /** B */
  readonly count: number;
  /** N and L, the longest of each */
  readonly visualLength: number;
  readonly textLength: number;
  /** tokens of padding before each text */
  readonly padding: readonly number[];
  /** the inputs of `prefillGraph`, without `count` */
  readonly feeds: Feeds;
}

/** Errors: `internal` when the numbers of visual tokens differ. */
export function paddedPrompts(prompts: readonly Prompt[], hiddenSize: number): PaddedPrompts {
  const count = prompts.length;
  const visualLength = prompts[0]!.visual.length / hiddenSize;
  if (prompts.some(({ visual }) => visual.length !== visualLength * hiddenSize))
    throw new EmacError('internal', 'generate: prompts of one batch need equally many visual tokens');
  // `prefillGraph` reads two positions or more
  const textLength = Math.max(2 - visualLength, ...prompts.map(({ tokens }) => tokens.length));
  const padding = prompts.map(({ tokens }) => textLength - tokens.length);
  const visual = new Float32Array(count * visualLength * hiddenSize);
  prompts.forEach((prompt, row) => visual.set(prompt.visual, row * visualLength * hiddenSize));
  const length = visualLength + textLength;
  const tokens = new Int32Array(count * textLength);
  // padding has positions too, since a table of them has no negative ones
  const positions = new Int32Array(count * length);
  const segments = new Int32Array(count * length);
  prompts.forEach((prompt, row) => {
    const pads = padding[row]!;
    tokens.set(prompt.tokens, row * textLength + pads);
    for (let place = 0; place < length; place++)
      positions[row * length + place] = place < visualLength ? place : Math.max(0, place - pads);
    segments.fill(-1, row * length + visualLength, row * length + visualLength + pads);
  });
  return {
    count,
    visualLength,
    textLength,
    padding,
    feeds: {
      visual: { type: 'float32', shape: [count, visualLength, hiddenSize], data: visual },
      tokens: integers(tokens, [count, textLength]),
      positions: integers(positions, [count, length]),
      segments: integers(segments, [count, length]),
    },
  };
}
