/**
 * Cosines and sines of rotary positions (Su et al., arXiv 2104.09864), rounded to float32 at the same places
 * as Hugging Face's LLaMA: the angle of position p in pair i is p · base^(−2i/d).
 */
import type { Graph, Tensor } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';

export interface RotaryTables {
  /** [maxPositions, d/2] */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** The tables as constants, once per graph. */
export function rotaryTables(graph: Graph, { headSize, maxPositions, ropeTheta }: LlamaConfig): RotaryTables {
  const half = headSize / 2;
  const table = (name: string, wave: (angle: number) => number): Tensor =>
    graph.memo(`rotary ${name} ${headSize} ${maxPositions} ${ropeTheta}`, () => {
      const data = new Float32Array(maxPositions * half);
      for (let pair = 0; pair < half; pair++) {
        const frequency = Math.fround(1 / Math.fround(ropeTheta ** Math.fround((2 * pair) / headSize)));
        for (let position = 0; position < maxPositions; position++)
          data[position * half + pair] = wave(Math.fround(position * frequency));
      }
      return graph.constant(data, [maxPositions, half]);
    });
  return { cos: table('cos', Math.cos), sin: table('sin', Math.sin) };
}
