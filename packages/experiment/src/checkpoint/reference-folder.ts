/**
 * A run's own copy of its reference policy: the run can resume even if the reference was moved, trained further or
 * removed.
 */
import { join } from 'node:path';
import type { DaggerState } from '@emac/algorithms';
import type { ParameterSet } from '@emac/core';
import { canonicalJson, encodeFloats, sha256, writeFolderAtomic } from '@emac/files';
import { tensorBytes, type StoredPolicy } from '@emac/opening';
import { layout, type TrainedFiles } from '@emac/runs';
import type { PlannedReference } from '../training/plan.ts';

/** The folder of a run's reference, a checkpoint without optimizer. */
export function referenceFolder(run: string): string {
  return join(run, layout.reference);
}

interface KeptReference extends Pick<StoredPolicy, 'identity' | 'stored'> {
  readonly policy: PlannedReference['policy'];
  /** that identify it */
  readonly tensors: ParameterSet;
  /** files of a checkpoint */
  readonly files: () => TrainedFiles['files'];
  readonly memories?: DaggerState['memories'];
}

/** As a plan has it, which writes it into the folder of its run. */
export function keptReference({ policy, tensors, files, ...kept }: KeptReference): PlannedReference {
  const { identity: baseModel, stored, memories } = kept;
  return {
    policy,
    get hash() {
      return sha256(encodeFloats(tensors));
    },
    bytes: tensorBytes(tensors),
    keep(folder, { trainedOn, solvedBefore }) {
      const state = { v: 2, ...stored, ...(memories && { training: { memories } }), solvedBefore };
      const text = new TextEncoder().encode(`${canonicalJson(state, 2)}\n`);
      const all = new Map([...files(), ['state.json', text]]);
      writeFolderAtomic(referenceFolder(folder), all, { baseModel, games: trainedOn() });
    },
  };
}
