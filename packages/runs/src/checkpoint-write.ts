/**
 * Writing a checkpoint: equal content gives equal bytes, and it is complete or invisible. The text file that
 * names it is replaced only after the folder is on disk.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, invariant, type ParameterSet } from '@emac/core';
import {
  canonicalJson,
  encodeFloats,
  isThere,
  makeManifest,
  verifyFolder,
  whileWriting,
  writeFolderAtomic,
} from '@emac/files';
import { checkpointFiles, checkpointName } from './layout.ts';
import { replaceFolder } from './replace-folder.ts';

/** The identity of a checkpoint. */
export interface CheckpointIdentity {
  /** identity of the frozen networks that the projection was trained with */
  readonly baseModel: string;
  /** ids of the games trained on */
  readonly games: readonly string[];
}

/** A part of a policy with separate files. */
export interface TrainedFiles {
  /** checked for NaN and infinity */
  readonly tensors: ParameterSet;
  /** files by name: the tensors and their metadata */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A value head's file; read back, its tensors are `beside.get(checkpointFiles.valueHead)`. */
export function valueHeadFiles(tensors: ParameterSet): TrainedFiles {
  return { tensors, files: new Map([[checkpointFiles.valueHead, encodeFloats(tensors)]]) };
}

/** The file of the critic's own adapter; its tensors are read back as `beside.get(checkpointFiles.valueAdapter)`. */
export function valueAdapterFiles(tensors: ParameterSet): TrainedFiles {
  return { tensors, files: new Map([[checkpointFiles.valueAdapter, encodeFloats(tensors)]]) };
}

/** The file of a second adapter that predicts actions; read back, its tensors are `beside.get(checkpointFiles.temporalPredictor)`. */
export function temporalPredictorFiles(tensors: ParameterSet): TrainedFiles {
  return { tensors, files: new Map([[checkpointFiles.temporalPredictor, encodeFloats(tensors)]]) };
}

/**
 * The file of a small network with policy and critic, and the names of its actions by output. Read back, its tensors are
 * `beside.get(checkpointFiles.network)`, its actions `networkActions`.
 */
export function networkFiles(tensors: ParameterSet, actions: readonly string[]): TrainedFiles {
  const bytes = encodeFloats(tensors, { actions: JSON.stringify(actions) });
  return { tensors, files: new Map([[checkpointFiles.network, bytes]]) };
}

export interface CheckpointContent {
  /** world steps plus updates */
  readonly step: number;
  /** null for a policy that has none */
  readonly projection: ParameterSet | null;
  /** parts trained with the projection: an adapter, a value head; default none */
  readonly beside?: readonly TrainedFiles[];
  readonly optimizer: ParameterSet;
  /** all other data needed to resume; no clocks, paths or run ids */
  readonly state: object;
  readonly manifest: CheckpointIdentity;
}

/**
 * Writes `<checkpoints>/<step>` and returns its path. A folder of that step is left alone if it is equal and
 * intact, and replaced otherwise. Errors: `check-failed` for NaN or infinity, `io`, `cannot-create`.
 */
export function writeCheckpoint(checkpoints: string, content: CheckpointContent): string {
  invariant(Number.isSafeInteger(content.step) && content.step >= 0, `checkpoint: no step ${content.step}`);
  const folder = join(checkpoints, checkpointName(content.step));
  const files = checkpointBytes(folder, content);
  const fields = { ...content.manifest };
  if (isThere(folder)) {
    if (intactHash(folder) === makeManifest(files, fields).sha256) return folder;
    const fresh = join(checkpoints, `.tmp-fresh-${process.pid}`);
    whileWriting(fresh, () => rmSync(fresh, { recursive: true, force: true }));
    writeFolderAtomic(fresh, files, fields);
    replaceFolder(folder, fresh);
  } else writeFolderAtomic(folder, files, fields);
  return folder;
}

function checkpointBytes(folder: string, content: CheckpointContent): Map<string, Uint8Array> {
  const { projection, beside = [], optimizer } = content;
  const own = projection ? [projection] : [];
  for (const tensors of [...own, ...beside.map((part) => part.tensors), optimizer])
    for (const [name, { data }] of tensors) checkFinite(`${folder}, ${name}`, data);
  return new Map([
    ...own.map((tensors) => [checkpointFiles.projection, encodeFloats(tensors)] as const),
    ...beside.flatMap(({ files }) => [...files]),
    [checkpointFiles.optimizer, encodeFloats(optimizer)],
    [checkpointFiles.state, new TextEncoder().encode(`${canonicalJson(content.state, 2)}\n`)],
  ]);
}

function checkFinite(place: string, data: Float32Array): void {
  for (let index = 0; index < data.length; index++)
    if (!Number.isFinite(data[index]))
      throw new EmacError(
        'check-failed',
        `${place}: element ${index} is ${data[index]}; training diverged; resume from an earlier checkpoint`,
      );
}

function intactHash(folder: string): string | null {
  try {
    return verifyFolder(folder).sha256;
  } catch (thrown) {
    if (thrown instanceof EmacError) return null;
    throw thrown;
  }
}
