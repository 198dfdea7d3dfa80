/**
 * One version of a policy in the shared folder: all its parameters except those of its start, as one safetensors file.
 * Its hash is its name, so a worker uses exactly the intended version or fails.
 */
import type { Adapter, AdapterSettings } from '@emac/backbone';
import { EmacError, parametersOf, type ParameterGroup, type ParameterSet } from '@emac/core';
import { canonicalJson, encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { patiently } from './carried.ts';

export interface PolicyVersion {
  /** of the projection and the adapter, as far as the policy has them; else all trainable ones */
  readonly parameters: ParameterSet;
  /** of the adapter; null without one, and where the policy's start has it */
  readonly adapter: AdapterSettings | null;
}

interface Adapted {
  readonly projection: ParameterSet | null;
  readonly adapter: Adapter | null;
}

/** The current version of a student or reference. */
export function versionOf({ projection, adapter }: Adapted): PolicyVersion {
  const parameters = new Map([...(projection ?? []), ...(adapter?.parameters ?? [])]);
  return { parameters, adapter: adapter?.settings ?? null };
}

/** A policy with live parameters. */
export interface Learner {
  readonly groups: readonly ParameterGroup[];
  commit(): void;
}

/** The current version of a policy that workers open from its start. */
export function learnedVersion(learner: Pick<Learner, 'groups'>): PolicyVersion {
  return { parameters: parametersOf(learner), adapter: null };
}

/** Stores a version; returns its name. Errors: those of the folder. */
export function storeVersion(folder: SharedFolder, { parameters, adapter }: PolicyVersion): string {
  return folder.put(encodeFloats(parameters, { adapter: canonicalJson(adapter) }));
}

/** Reads a version by its name. Errors: `missing`, `data`. */
export async function readVersion(folder: SharedFolder, name: string): Promise<PolicyVersion> {
  const file = openSafetensors(await patiently(folder, () => folder.file(name)));
  const parameters = [...file.tensors.values()].map(
    (tensor) => [tensor.name, { shape: tensor.shape, data: readFloat32(file, tensor.name) }] as const,
  );
  return {
    parameters: new Map(parameters),
    adapter: JSON.parse(file.metadata['adapter'] ?? 'null') as AdapterSettings | null,
  };
}

/** Loads versions into a learner. Errors: `missing`; `data` for another learner's version. */
export function versionsInto(folder: SharedFolder, learner: Learner): (name: string) => Promise<void> {
  let current = '';
  return async (name) => {
    if (name === current) return;
    current = '';
    const { parameters } = await readVersion(folder, name);
    const own: ParameterSet = parametersOf(learner);
    for (const [each, { data }] of own) {
      const stored = parameters.get(each);
      if (stored?.data.length !== data.length || parameters.size !== own.size)
        throw new EmacError(
          'data',
          `version ${name.slice(0, 12)}: is of another policy, its ${each} has ${stored?.data.length ?? 'no'} numbers, this model's has ${data.length}; give the worker the run's model`,
        );
      data.set(stored.data);
    }
    learner.commit();
    current = name;
  };
}
