/** A policy's folder: a checkpoint without its training state. PEFT reads an adapter there, `emac` the whole. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, writeFolderAtomic } from '@emac/files';
import { checkpointFiles, loadCheckpoint, resolveCheckpoint } from '@emac/runs';

const ofTraining: readonly string[] = [checkpointFiles.optimizer, checkpointFiles.state];

const stateOfTraining = ['training', 'optimizer', 'run', 'replies', 'solvedBefore', 'best', 'cohorts'];

/** Writes the new folder `out`; returns the names of its files of parameters. Errors: `missing`, `data`, `cannot-create`, `io`. */
export function exportPolicy(checkpoint: string, out: string): string[] {
  const { folder } = resolveCheckpoint(checkpoint);
  const { state, manifest } = loadCheckpoint(folder);
  const { baseModel, games } = manifest;
  const names = Object.keys(manifest.files).filter((each) => !ofTraining.includes(each));
  const own = Object.entries(state).filter(([key]) => !stateOfTraining.includes(key));
  const policy = `${canonicalJson(Object.fromEntries(own), 2)}\n`;
  writeFolderAtomic(
    out,
    new Map([
      ...names.map((each) => [each, new Uint8Array(readFileSync(join(folder, each)))] as const),
      [checkpointFiles.state, new TextEncoder().encode(policy)] as const,
    ]),
    { baseModel, games },
  );
  return names;
}
