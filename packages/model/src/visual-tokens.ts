/**
 * Where the projection enters a network: it makes visual tokens of a row's pictures, which networks are fed as `visual`,
 * and ∂loss/∂visual comes back as the gradients of its parameters. What else is trained (`policy-parameters.ts`) is fed as it is.
 */
import type { ModelFiles } from '@emac/backbone';
import { EmacError, type Features } from '@emac/core';
import type { Value } from '@emac/graph';
import type { Projection } from './projection.ts';

/** The pictures of each row, equally many in every row. */
export type RowImages = readonly (readonly Features[])[];

export interface VisualTokens {
  /** numbers in the visual tokens of one picture, Nq · D */
  readonly size: number;
  /** float32 [n, V, D] of n rows, V = pictures · Nq */
  of(rows: RowImages): Value & { readonly data: Float32Array };
  /** gradients of the projection's parameters; `gradient` [pictures, Nq, D], of any number of pictures */
  backward(images: readonly Features[], gradient: Float32Array): Map<string, Float32Array>;
}

/** Errors: `data` when the projection, or later features, do not fit the model. */
export function visualTokens({ folder, config }: ModelFiles, projection: Projection): VisualTokens {
  const { queryTokens, qformer, llama } = config;
  checkWidths(projection, { folder, input: qformer.hiddenSize, output: llama.hiddenSize });
  const size = queryTokens * qformer.hiddenSize;
  const stacked = (images: readonly Features[]): Float32Array => {
    const data = new Float32Array(images.length * size);
    images.forEach((each, index) => {
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
    of: (rows) => {
      const images = rows.flat();
      return {
        type: 'float32',
        shape: [rows.length, rows[0]!.length * queryTokens, llama.hiddenSize],
        data: projection.forward(stacked(images), images.length * queryTokens),
      };
    },
    backward: (images, gradient) =>
      projection.backward(stacked(images), images.length * queryTokens, gradient),
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
