/** Weights by name. */
import { openSafetensors, readFloat32 } from '@emac/files';

export type Parameters = Map<string, { shape: readonly number[]; data: Float32Array }>;

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

/** Puts the weights of a safetensors file in place, as far as it has them. */
export function takeOver(parameters: Parameters, path: string): void {
  const file = openSafetensors(path);
  for (const [name, { data }] of parameters) if (file.tensors.has(name)) data.set(readFloat32(file, name));
}
