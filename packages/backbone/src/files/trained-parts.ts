/**
 * What a published file of EMMA's (`emma_checkpoint_N.pth`, or another of LAVIS's `.pth` files) holds of what was
 * trained: the projection `llm_proj` and, trained with it, the norm after the vision model, `ln_vision`. Such a file
 * does not say which frozen networks it belongs to.
 */
import { EmacError } from '@emac/core';

import type { VisionNorm } from './vision-norm.ts';
import { lavisVisionNormEpsilon } from './composed-config.ts';
import { fromLavis } from './lavis-names.ts';
import { valuesOf, type StoredTensor, type TensorTable } from './tensor-table.ts';
import { readTorchTensors } from './torch/torch-file.ts';

export interface TrainedParts {
  /** `language_projection.weight` [D, Dq], `language_projection.bias` [D] */
  readonly projection: ReadonlyMap<
    string,
    { readonly shape: readonly number[]; readonly data: Float32Array }
  >;
  /** null where the file holds none */
  readonly visionNorm: VisionNorm | null;
  /** how many other tensors of the model the file holds, which are not read */
  readonly others: number;
}

const projection = ['language_projection.weight', 'language_projection.bias'];
const norm = ['vision_model.post_layernorm.weight', 'vision_model.post_layernorm.bias'] as const;

/** Reads the trained parts of a `.pth` file. Errors: `missing`, `data` naming the tensor. */
export function readTrainedParts(path: string): TrainedParts {
  const table = readTorchTensors(path, fromLavis);
  const parts = projection.map((name) => {
    const tensor = needed(table, name, path);
    return [name, { shape: tensor.shape, data: valuesOf(tensor) }] as const;
  });
  const hasNorm = norm.some((name) => table.has(name));
  return {
    projection: new Map(parts),
    visionNorm: hasNorm ? visionNormOf(table, path) : null,
    others: table.size - projection.length - (hasNorm ? norm.length : 0),
  };
}

function visionNormOf(table: TensorTable, path: string): VisionNorm {
  const [weight, bias] = norm.map((name) => valuesOf(needed(table, name, path))) as [
    Float32Array,
    Float32Array,
  ];
  return { weight, bias, epsilon: lavisVisionNormEpsilon };
}

function needed(table: TensorTable, name: string, path: string): StoredTensor {
  const tensor = table.get(name);
  if (tensor) return tensor;
  throw new EmacError('data', `${path}: has no tensor for ${name}; is it a file of EMMA or InstructBLIP?`);
}
