/**
 * Prompts in pieces that begin at fixed places, multiples of one length. The keys and values of a piece are computed alone, after those
 * of the pieces before it, always in the same shapes. So they are a function of the prompt up to there, whether they were kept or are
 * computed again.
 */
import { sha256 } from '@emac/files';
import type { Feeds } from '@emac/graph';

import { hiddenScore } from '../../networks/attention-bias.ts';
import type { AdapterValues } from '../../networks/adapter-feeds.ts';
import type { LlamaConfig } from '../../files/model-config.ts';
import { deepFeeds, deepWidth } from '../../networks/deep-stack.ts';
import { seesPictures } from '../../networks/tokens.ts';
import { integers } from './integers.ts';
import { visualFirst, type PromptLayout } from './prompt-layout.ts';
import type { Prompt } from './prompt-reader.ts';

type Read = Pick<
  LlamaConfig,
  'hiddenSize' | 'visualTokens' | 'rotarySections' | 'slidingWindow' | 'windowLayers' | 'deepLayers'
>;

/** A prompt place by place. */
export interface PlacedPrompt {
  /** what stands at each place: the id of a text token, −1 − v for visual token v */
  readonly places: Int32Array;
  readonly layout: PromptLayout;
  readonly visual: Float32Array;
  readonly deep: Float32Array;
  /** of all visual tokens' numbers; '' without any */
  readonly seen: string;
  readonly adapter: AdapterValues | null;
}

export function placedPrompt(prompt: Prompt, { hiddenSize }: Pick<Read, 'hiddenSize'>): PlacedPrompt {
  const { visual = none, deep = none, tokens, adapter = null } = prompt;
  const count = visual.length / hiddenSize;
  const layout = prompt.layout ?? visualFirst(count, tokens.length);
  return {
    places: layout.order.map((each) => (each < count ? -1 - each : tokens[each - count]!)),
    layout,
    visual,
    deep,
    seen: count === 0 ? '' : [visual, deep].map(hashOf).join(' '),
    adapter,
  };
}

const none = new Float32Array();

const hashOf = (values: Float32Array): string =>
  sha256(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));

/** Places before the last piece, which is never kept: whole pieces, and at least one place is left. */
export function wholePieces({ places }: Pick<PlacedPrompt, 'places'>, length: number): number {
  return Math.floor((places.length - 1) / length) * length;
}

/** The inputs of `pieceGraph` for the places from `start` to before `end`, without scores and keys and values. */
export function pieceFeeds(
  { places, layout, visual, deep }: PlacedPrompt,
  { start, end }: { readonly start: number; readonly end: number },
  config: Read,
): Feeds {
  const { hiddenSize } = config;
  const piece = places.subarray(start, end);
  const seen = piece.filter((each) => each < 0);
  const words = piece.filter((each) => each >= 0);
  const rowsOf = (values: Float32Array, width: number) => {
    const rows = new Float32Array(seen.length * width);
    seen.forEach((each, row) => rows.set(values.subarray((-1 - each) * width, -each * width), row * width));
    return rows;
  };
  const length = end - start;
  const axes = config.rotarySections?.length ?? 1;
  const positions = Array.from({ length: axes }, (_, axis) =>
    Array.from((layout.positions[axis] ?? layout.positions[0]!).subarray(start, end)),
  ).flat();
  return {
    ...(seesPictures(config) && {
      visual: { type: 'float32', shape: [1, seen.length, hiddenSize], data: rowsOf(visual, hiddenSize) },
    }),
    ...deepFeeds(config, rowsOf(deep, deepWidth(config)), [1, seen.length]),
    tokens: integers(words, [1, words.length]),
    positions: integers(positions, [...(config.rotarySections ? [axes] : []), 1, length]),
    ...(config.visualTokens === 'within' && { places: integers(orderOf(piece), [1, length]) }),
    kept: integers([start], [1]),
    ...biasFeeds(layout, { start, end }, config),
  };
}

/** Rows of a piece's [visual, text] in the order of its places. */
function orderOf(piece: Int32Array): Int32Array {
  let seen = 0;
  let read = piece.filter((each) => each < 0).length;
  return piece.map((each) => (each < 0 ? seen++ : read++));
}

/** `bias` of all layers, or also `window_bias` of those with a window. */
function biasFeeds(
  layout: PromptLayout,
  piece: { readonly start: number; readonly end: number },
  { slidingWindow = Infinity, windowLayers }: Read,
): Feeds {
  const windowed = pieceBias(layout, piece, slidingWindow);
  return windowLayers
    ? { bias: pieceBias(layout, piece, Infinity), window_bias: windowed }
    : { bias: windowed };
}

/** 0 for the places that a place of the piece sees, up to its own and in its window, else far below any score. */
function pieceBias(
  { positions }: PromptLayout,
  { start, end }: { readonly start: number; readonly end: number },
  window: number,
): Feeds[string] {
  const axis = positions.at(-1)!;
  const data = new Float32Array((end - start) * end);
  for (let place = start; place < end; place++) {
    const line = data.subarray((place - start) * end, (place - start + 1) * end);
    line.fill(hiddenScore, place + 1);
    if (window === Infinity) continue;
    for (let other = 0; other < place; other++)
      if (axis[place]! - axis[other]! >= window) line[other] = hiddenScore;
  }
  return { type: 'float32', shape: [1, 1, end - start, end], data };
}
