/**
 * Prompts of different lengths as one block. Padding stands after a prompt's leading visual tokens. It has its own
 * segment, which is masked, and no position counts it.
 */
import { EmacError } from '@emac/core';
import type { Feeds } from '@emac/graph';

import type { LlamaConfig } from '../../files/model-config.ts';
import { deepFeeds, deepWidth } from '../../networks/deep-stack.ts';
import { seesPictures } from '../../networks/tokens.ts';
import { integers } from './integers.ts';
import { leadingVisual, visualFirst, type PromptLayout } from './prompt-layout.ts';
import type { Prompt } from './prompt-reader.ts';

export interface PaddedPrompts {
  /** B */
  readonly count: number;
  /** N and L, the longest of each */
  readonly visualLength: number;
  readonly textLength: number;
  readonly rows: readonly PaddedPrompt[];
  /** the inputs of `prefillGraph`, without `count` */
  readonly feeds: Feeds;
}

export interface PaddedPrompt {
  /** number of padding places, and of places before them */
  readonly padding: number;
  readonly lead: number;
  /** for each place the position on its (last) axis; 0 for padding */
  readonly positions: Int32Array;
  /** position of the first token after the prompt */
  readonly next: number;
}

type Read = Pick<LlamaConfig, 'hiddenSize' | 'visualTokens' | 'rotarySections' | 'deepLayers'>;

/** Errors: `internal` if the numbers of visual tokens differ. */
export function paddedPrompts(prompts: readonly Prompt[], config: Read): PaddedPrompts {
  const { hiddenSize } = config;
  const count = prompts.length;
  const visualLength = (prompts[0]!.visual?.length ?? 0) / hiddenSize;
  if (prompts.some(({ visual = none }) => visual.length !== visualLength * hiddenSize))
    throw new EmacError('internal', 'generate: prompts of one batch need equally many visual tokens');
  // `prefillGraph` reads two positions or more
  const textLength = Math.max(2 - visualLength, ...prompts.map(({ tokens }) => tokens.length));
  const length = visualLength + textLength;
  const visual = new Float32Array(count * visualLength * hiddenSize);
  const deep = new Float32Array(count * visualLength * deepWidth(config));
  const tokens = new Int32Array(count * textLength);
  const segments = new Int32Array(count * length);
  const places = new Int32Array(count * length);
  const axes = config.rotarySections?.length ?? 1;
  const positions = new Int32Array(axes * count * length);
  const rows = prompts.map((prompt, row): PaddedPrompt => {
    const padding = textLength - prompt.tokens.length;
    const layout = prompt.layout ?? visualFirst(visualLength, prompt.tokens.length);
    const lead = leadingVisual(layout, visualLength);
    visual.set(prompt.visual ?? none, row * visualLength * hiddenSize);
    deep.set(prompt.deep ?? none, row * visualLength * deepWidth(config));
    tokens.set(prompt.tokens, row * textLength + padding);
    segments.fill(-1, row * length + lead, row * length + lead + padding);
    places.set(
      paddedOrder(layout, { visualLength, lead, padding }).map((place) => row * length + place),
      row * length,
    );
    const ofAxes = Array.from({ length: axes }, (_, axis) => {
      const own = layout.positions[axis] ?? layout.positions[0]!;
      const padded = new Int32Array(length);
      padded.set(own.subarray(0, lead));
      padded.set(own.subarray(lead), lead + padding);
      positions.set(padded, (axis * count + row) * length);
      return padded;
    });
    return { padding, lead, positions: ofAxes.at(-1)!, next: layout.next };
  });
  const prefix = config.rotarySections ? [axes] : [];
  return {
    count,
    visualLength,
    textLength,
    rows,
    feeds: {
      ...(seesPictures(config) && {
        visual: { type: 'float32', shape: [count, visualLength, hiddenSize], data: visual },
      }),
      ...deepFeeds(config, deep, [count, visualLength]),
      tokens: integers(tokens, [count, textLength]),
      positions: integers(positions, [...prefix, count, length]),
      segments: integers(segments, [count, length]),
      ...(config.visualTokens === 'within' && { places: integers(places, [count, length]) }),
    },
  };
}

const none = new Float32Array();

/** The order of a prompt with padding before its text tokens; the text is read from the end of its row. */
function paddedOrder(
  { order }: PromptLayout,
  { visualLength, lead, padding }: { visualLength: number; lead: number; padding: number },
): Int32Array {
  const padded = new Int32Array(order.length + padding);
  const moved = order.map((each) => (each < visualLength ? each : each + padding));
  padded.set(moved.subarray(0, lead));
  for (let pad = 0; pad < padding; pad++) padded[lead + pad] = visualLength + pad;
  padded.set(moved.subarray(lead), lead + padding);
  return padded;
}
