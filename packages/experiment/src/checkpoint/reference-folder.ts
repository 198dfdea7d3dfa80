/**
 * A run's own copy of its reference policy: the run can resume even if the reference was moved, trained further or
 * removed.
 */
import { join } from 'node:path';
import { canonicalJson, writeFolderAtomic } from '@emac/files';
import { layout, type CheckpointIdentity, type TrainedFiles } from '@emac/runs';

/** The folder of a run's reference, a checkpoint without optimizer. */
export function referenceFolder(run: string): string {
  return join(run, layout.reference);
}

export interface KeptReference {
  readonly files: TrainedFiles['files'];
  readonly state: object;
  readonly identity: CheckpointIdentity;
}

/** Writes the reference into the folder of its run. */
export function keepReference(run: string, { files, state, identity }: KeptReference): void {
  const text = `${canonicalJson({ v: 2, ...state }, 2)}\n`;
  const all = new Map([...files, ['state.json', new TextEncoder().encode(text)]]);
  writeFolderAtomic(referenceFolder(run), all, { ...identity });
}
