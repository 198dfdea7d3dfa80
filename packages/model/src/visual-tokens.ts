/** The projection in terms of features: visual tokens for rows, and its gradients from ∂loss/∂(visual tokens). */
import type { ModelFiles } from '@emac/backbone';
import { EmacError, type Features } from '@emac/core';
import type { Value } from '@emac/graph';
import type { Projection } from './projection.ts';

export interface VisualTokens {
  /** numbers in the visual tokens of one row, Nq · D */
  readonly size: number;
  /** float32 [n, Nq, D] */
  of(features: readonly Features[]): Value & { readonly data: Float32Array };
  /** gradients of the projection's parameters; `gradient` [n, Nq, D] */
  backward(features: readonly Features[], gradient: Float32Array): Map<string, Float32Array>;
}

/** Errors: `data` when the projection, or later features, do not fit the model. */
export function visualTokens({ folder, config }: ModelFiles, projection: Projection): VisualTokens {
  const { queryTokens, qformer, llama } = config;
  checkWidths(projection, { folder, input: qformer.hiddenSize, output: llama.hiddenSize });
  const size = queryTokens * qformer.hiddenSize;
  const stacked = (features: readonly Features[]): Float32Array => {
    const data = new Float32Array(features.length * size);
    features.forEach((each, index) => {
      if (each.data.length !== size)
        throw new EmacError(
          'data',
          `student: features must be ${queryTokens} × ${qformer.hiddenSize} numbers for ${folder}, got ${each.data.length}; were they made by another model?`,
        );
      data.set(each.data, index * size);
    });
    return data;
  };
  return {
    size: queryTokens * llama.hiddenSize,
    of: (features) => ({
      type: 'float32',
      shape: [features.length, queryTokens, llama.hiddenSize],
      data: projection.forward(stacked(features), features.length * queryTokens),
    }),
    backward: (features, gradient) =>
      projection.backward(stacked(features), features.length * queryTokens, gradient),
  };
}

interface Widths {
  readonly folder: string;
  readonly input: number;
  readonly output: number;
}

/** The first parameter is a weight [out, in], the last one a bias [out]. */
function checkWidths({ parameters }: Projection, { folder, input, output }: Widths): void {
  const shapes = [...parameters.values()].map(({ shape }) => shape);
  const [from, to] = [shapes[0]![1], shapes.at(-1)![0]];
  if (from !== input || to !== output)
    throw new EmacError(
      'data',
      `student: the projection must lead from ${input} to ${output} for ${folder}, got ${from} to ${to}`,
    );
}
