/**
 * One version of a policy in the shared folder: all its parameters except the frozen networks, as one safetensors file.
 * Its hash is its name, so a worker plays exactly the intended version or fails.
 */
import type { Adapter, AdapterSettings } from '@emac/backbone';
import type { ParameterSet } from '@emac/core';
import { encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';

export interface PolicyVersion {
  /** of the projection and the adapter, as far as the policy has them */
  readonly parameters: ParameterSet;
  /** of the adapter; null without one */
  readonly adapter: AdapterSettings | null;
}

/** The current version of a student or reference. */
export function versionOf({
  projection,
  adapter,
}: {
  readonly projection: ParameterSet | null;
  readonly adapter: Adapter | null;
}): PolicyVersion {
  const parameters = new Map([...(projection ?? []), ...(adapter?.parameters ?? [])]);
  return { parameters, adapter: adapter?.settings ?? null };
}

/** Stores a version; returns its name. Errors: those of the folder. */
export function storeVersion(folder: SharedFolder, { parameters, adapter }: PolicyVersion): string {
  return folder.put(encodeFloats(parameters, { adapter: JSON.stringify(adapter) }));
}

/** Reads a version by its name. Errors: `missing`, `data`. */
export async function readVersion(folder: SharedFolder, name: string): Promise<PolicyVersion> {
  const file = openSafetensors(await patiently(() => folder.file(name)));
  const parameters = [...file.tensors.values()].map(
    (tensor) => [tensor.name, { shape: tensor.shape, data: readFloat32(file, tensor.name) }] as const,
  );
  return {
    parameters: new Map(parameters),
    adapter: JSON.parse(file.metadata['adapter'] ?? 'null') as AdapterSettings | null,
  };
}
