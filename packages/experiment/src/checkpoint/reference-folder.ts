/**
 * A run's own copy of its reference policy: the run can resume even if the reference was moved, trained further or
 * removed.
 */
import { join } from 'node:path';
import type { DaggerState } from '@emac/algorithms';
import type { Adapter, Family, VisionNorm } from '@emac/backbone';
import type { ParameterSet } from '@emac/core';
import { canonicalJson, encodeFloats, writeFolderAtomic } from '@emac/files';
import { adapterFiles, projectionTensors, type PolicyForm } from '@emac/opening';
import { layout, type CheckpointIdentity } from '@emac/runs';

/** The folder of a run's reference, a checkpoint without optimizer. */
export function referenceFolder(run: string): string {
  return join(run, layout.reference);
}

export interface KeptReference {
  /** null for a model that reads text alone */
  readonly projection: ParameterSet | null;
  readonly adapter: Adapter | null;
  /** of the model; names the adapter's tensors */
  readonly family: Pick<Family, 'moduleOf'>;
  readonly visionNorm: VisionNorm | null;
  readonly form: PolicyForm;
  readonly memories: DaggerState['memories'];
  /** ids of games that were won before the run began */
  readonly solvedBefore: readonly string[];
  readonly identity: CheckpointIdentity;
}

/** Writes the reference into the folder of its run. */
export function keepReference(run: string, kept: KeptReference): void {
  const { projection, adapter, family, visionNorm, form, memories, solvedBefore, identity } = kept;
  const tensors = projectionTensors({ projection }, visionNorm);
  const state = { v: 2, policy: form, training: { memories }, solvedBefore };
  writeFolderAtomic(
    referenceFolder(run),
    new Map([
      ...(tensors ? [['projection.safetensors', encodeFloats(tensors)] as const] : []),
      ...(adapter ? adapterFiles(adapter, family).files : []),
      ['state.json', new TextEncoder().encode(`${canonicalJson(state, 2)}\n`)],
    ]),
    { ...identity },
  );
}
