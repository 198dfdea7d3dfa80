/** Gradients in the shared folder, as safetensors. Numbers keep every bit, infinities and NaN included. */
import type { ActorCriticGradient, Gradient } from '@emac/core';
import { encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { exactJson, fromJson, patiently } from './carried.ts';

/** Of a `Trainable`, or of a policy with its critic. */
export type AnyGradient = Gradient | ActorCriticGradient;

/** Stores a gradient; returns its hash. Errors: those of the folder. */
export function storeGradient(folder: SharedFolder, { gradients, ...rest }: AnyGradient): string {
  const tensors = [...gradients].map(([name, data]) => [name, { shape: [data.length], data }] as const);
  // a file has its own order, but sums over parameters use theirs
  const names = JSON.stringify([...gradients.keys()]);
  return folder.put(encodeFloats(tensors, { names, rest: exactJson(folder, rest) }));
}

/** Reads a gradient by its hash. Errors: `missing`, `data`. */
export async function readGradient<Found extends AnyGradient>(
  folder: SharedFolder,
  hash: string,
): Promise<Found> {
  const file = openSafetensors(await patiently(folder, () => folder.file(hash)));
  const { names, rest } = file.metadata;
  const gradients = (JSON.parse(names!) as string[]).map((name) => [name, readFloat32(file, name)] as const);
  return { ...(await fromJson<Found>(folder, rest!)), gradients: new Map(gradients) };
}
