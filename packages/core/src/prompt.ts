/** A policy's input: text and encoded pictures in the order of the model's positions, or plain numbers. */
import type { NumberArray } from './observation.ts';

/** A picture encoded by a policy's frozen vision encoder; equal keys mean equal data. */
export interface Features {
  /** Q-Former output [Nq, Dq] float32, rounded once to the stored type (float16) */
  readonly data: Float32Array;
  /** identifies the picture, the text read with it and the frozen networks */
  readonly key: string;
}

/** A text as ids, and for each picture the number of ids before it. */
export interface PromptTokens {
  readonly tokens: readonly number[];
  readonly before: readonly number[];
}

export type PromptPart =
  | { readonly kind: 'text'; readonly text: string }
  /** a text that was tokenized before, such as the beginning of a conversation */
  | ({ readonly kind: 'tokens' } & PromptTokens)
  | { readonly kind: 'image'; readonly features: Features }
  | { readonly kind: 'array'; readonly name: string; readonly values: NumberArray };

export type Prompt = readonly PromptPart[];

/** The prompt of most vision-language models: pictures, then text. */
export function promptOf(images: readonly Features[], text: string): Prompt {
  return [...images.map((features) => ({ kind: 'image', features }) as const), { kind: 'text', text }];
}
