/** Checks a merged model folder before it gets its final name. */
import { join } from 'node:path';
import { openModelFiles } from '@emac/backbone';
import { invariant } from '@emac/core';
import { isFile, openSafetensors } from '@emac/files';

export interface MergedFolder {
  readonly base: string;
  /** in the merged folder: newly written weight files, and all files that must be beside them */
  readonly shards: readonly string[];
  readonly files: readonly string[];
}

/** Errors: `internal` if a file or tensor of the base is missing or has another shape; those of opening a model. */
export function checkMerged(folder: string, { base, shards, files }: MergedFolder): void {
  for (const name of [...shards, ...files])
    invariant(isFile(join(folder, name)), `${folder}: has no ${name}, must have every file of its base`);
  for (const name of shards) {
    const [before, after] = [base, folder].map((each) => openSafetensors(join(each, name)).tensors);
    invariant(after!.size === before!.size, `${folder}, ${name}: must have the tensors of its base`);
    for (const [tensor, { shape }] of before!)
      invariant(
        after!.get(tensor)?.shape.join() === shape.join(),
        `${folder}, ${name}: ${tensor} must have the shape ${shape.join(' × ')}`,
      );
  }
  openModelFiles(folder);
}
