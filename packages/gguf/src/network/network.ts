/** The networks that GGUF and model folders share, as sizes: a decoder of LLaMA's kind with its variants. */

export interface Network {
  /** `general.architecture` of a GGUF file */
  readonly architecture: Architecture;
  readonly vocabulary: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly positions: number;
  readonly normEpsilon: number;
  readonly ropeTheta: number;
  readonly scaling: RotaryScaling | null;
  /** positions that a position sees (Mistral, Gemma 3 in some layers); null: all before it */
  readonly slidingWindow: number | null;
  /** Gemma 3's layers with a window and without; null: all layers are equal */
  readonly windowLayers: WindowLayers | null;
  /** of queries, keys and values */
  readonly attentionBias: boolean;
  readonly outputBias: boolean;
  readonly feedForwardBias: boolean;
  /** the head is the embedding table */
  readonly tiedHead: boolean;
}

export interface WindowLayers {
  /** for each layer whether it has the window */
  readonly has: readonly boolean[];
  /** rotary base of these layers, which are never scaled */
  readonly ropeTheta: number;
  /** queries are divided by its root */
  readonly queryScale: number;
}

export const architectures = ['llama', 'qwen2', 'qwen3', 'gemma3'] as const;

export type Architecture = (typeof architectures)[number];

/** How rotary positions are scaled, as transformers names it. */
export type RotaryScaling =
  | { readonly type: 'linear'; readonly factor: number }
  | { readonly type: 'yarn'; readonly factor: number; readonly originalPositions: number }
  /** wavelengths above `originalPositions` are scaled, those below a quarter of it are not */
  | { readonly type: 'llama3'; readonly factor: number; readonly originalPositions: number };

/** A float32 read from a file, as the shortest decimal that stands for it: 1e-5, not 9.999999747e-6. */
export function shortest(value: number): number {
  for (let digits = 1; digits <= 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return value;
}
