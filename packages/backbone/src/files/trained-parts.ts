/**
 * The trained parts in a published EMMA file (`emma_checkpoint_N.pth`, or another of LAVIS's `.pth` files): the
 * projection `llm_proj` and, if trained with it, the norm after the vision model, `ln_vision`. The file does not say
 * which frozen networks it belongs to.
 */
import { EmacError, type ParameterSet } from '@emac/core';

import type { VisionNorm } from './vision-norm.ts';
import { lavisVisionNormEpsilon } from './composed-config.ts';
import { fromLavis } from './lavis-names.ts';
import { valuesOf, type StoredTensor, type TensorTable } from './tensor-table.ts';
import { readTorchTensors } from './torch/torch-file.ts';
import { encodeTorchFile } from './torch/write-torch-file.ts';

export interface TrainedParts {
  /** `language_projection.weight` [D, Dq], `language_projection.bias` [D] */
  readonly projection: ReadonlyMap<
    string,
    { readonly shape: readonly number[]; readonly data: Float32Array }
  >;
  /** null if the file has none */
  readonly visionNorm: VisionNorm | null;
  /** how many other model tensors the file holds; they are not read */
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

/**
 * The same parts as such a file, as the published code loads it; `epoch` is the round. Errors: `usage` for a projection of several layers, because
 * that code has no names for them.
 */
export function encodeTrainedParts(parts: ParameterSet, epoch: number): Uint8Array {
  const named = [...parts].map(([name, tensor]) => {
    const published = toLavis(name);
    if (published !== null) return [published, tensor] as const;
    throw new EmacError(
      'usage',
      `${name}: has no name in a published file, which holds a projection of one layer; export it without --layout`,
    );
  });
  return encodeTorchFile(new Map(named), { epoch });
}

function toLavis(name: string): string | null {
  const [, kind] = /\.(weight|bias)$/.exec(name) ?? [];
  if (projection.includes(name)) return `llm_proj.${kind}`;
  return norm.some((each) => each === name) ? `ln_vision.${kind}` : null;
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
