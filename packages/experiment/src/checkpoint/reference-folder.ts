/**
 * A run's own copy of its reference policy: the run can resume even if the reference was moved, trained further or
 * removed.
 */
import { join } from 'node:path';
import type { DaggerState } from '@emac/algorithms';
import type { Adapter, Family, VisionNorm } from '@emac/backbone';
import type { ParameterSet } from '@emac/core';
import { canonicalJson, encodeFloats, writeFolderAtomic } from '@emac/files';
import { adapterFiles, projectionTensors, type PolicyForm, type PpoForm } from '@emac/opening';
import { layout, type CheckpointIdentity, type TrainedFiles } from '@emac/runs';

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
  const files = new Map([
    ...(tensors ? [['projection.safetensors', encodeFloats(tensors)] as const] : []),
    ...(adapter ? adapterFiles(adapter, family).files : []),
  ]);
  write(run, files, { state: { policy: form, training: { memories }, solvedBefore }, identity });
}

export interface KeptNetwork extends Pick<KeptReference, 'solvedBefore' | 'identity'> {
  readonly network: TrainedFiles;
  readonly form: PpoForm;
}

/** The same of a small network. */
export function keepNetwork(run: string, { network, form, solvedBefore, identity }: KeptNetwork): void {
  write(run, network.files, { state: { environment: form, solvedBefore }, identity });
}

function write(
  run: string,
  files: ReadonlyMap<string, Uint8Array>,
  { state, identity }: { readonly state: object; readonly identity: CheckpointIdentity },
): void {
  const text = `${canonicalJson({ v: 2, ...state }, 2)}\n`;
  const all = new Map([...files, ['state.json', new TextEncoder().encode(text)]]);
  writeFolderAtomic(referenceFolder(run), all, { ...identity });
}
