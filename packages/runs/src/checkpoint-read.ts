/**
 * Finds and reads checkpoints. A user may name a run folder (its latest checkpoint), `RUN@best`, `RUN@latest`,
 * `RUN@<step>`, or a checkpoint folder, copied anywhere.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EmacError, messageOf, type ParameterSet } from '@emac/core';
import { isThere, openSafetensors, readFloat32, verifyFolder, whileReading } from '@emac/files';
import type { Manifest } from '@emac/files';
import type { CheckpointIdentity } from './checkpoint-write.ts';
import { checkpointFiles, checkpointName, layout } from './layout.ts';
import { presentFolder } from './replace-folder.ts';

export interface CheckpointPlace {
  /** path of the checkpoint folder */
  readonly folder: string;
  /** its own name, eight digits as written */
  readonly name: string;
  /** path of the run folder, if one was named */
  readonly run?: string;
}

export interface Checkpoint {
  /** empty for a policy without one, such as a small network or a language model alone */
  readonly projection: ParameterSet;
  /** tensors by file (`CheckpointContent.beside`); empty if only a projection was trained */
  readonly beside: ReadonlyMap<string, ParameterSet>;
  /** absent from a checkpoint that was stripped for evaluation */
  readonly optimizer?: ParameterSet;
  readonly state: Readonly<Record<string, unknown>>;
  readonly manifest: Manifest & CheckpointIdentity;
}

/** The checkpoint folder that `reference` names. Errors: `missing`, or `data` for a path that is no checkpoint. */
export function resolveCheckpoint(reference: string): CheckpointPlace {
  if (isThere(reference)) return existingPlace(reference);
  const split = /^(.+)@(best|latest|\d+)$/.exec(reference);
  if (!split?.[1] || !split[2])
    throw new EmacError(
      'missing',
      `${reference}: does not exist; name a run folder, RUN@best or a checkpoint folder`,
    );
  const [, run, which] = split;
  if (!isThere(run))
    throw new EmacError('missing', `${run}: does not exist; name a run folder before @${which}`);
  return which === 'best' || which === 'latest'
    ? named(run, which)
    : inRun(run, checkpointName(Number(which)));
}

/** Reads a checkpoint after checking every file; `missing`, or `data` naming the file that is damaged. */
export function loadCheckpoint(folder: string): Checkpoint {
  const manifest = verifyFolder(folder);
  const { projection, network, adapter, state } = checkpointFiles;
  const policy = [network, adapter].find((name) => manifest.files[name]) ?? projection;
  for (const name of [policy, state])
    if (!manifest.files[name])
      throw new EmacError('data', `${folder}: is not a checkpoint, as it has no ${name}`);
  const tensorsOf = (name: string) => readTensors(join(folder, name));
  return {
    projection: manifest.files[projection] ? tensorsOf(projection) : new Map(),
    beside: new Map(furtherFiles(manifest).map((name) => [name, tensorsOf(name)])),
    ...(manifest.files[checkpointFiles.optimizer] && { optimizer: tensorsOf(checkpointFiles.optimizer) }),
    state: readState(join(folder, checkpointFiles.state)),
    manifest: withIdentity(manifest, folder),
  };
}

/** Action names of a small network, by output; null for a checkpoint without them. Errors: `data` for no list of texts. */
export function networkActions(folder: string): readonly string[] | null {
  const path = join(folder, checkpointFiles.network);
  const { actions } = openSafetensors(path).metadata;
  if (actions === undefined) return null;
  const found = namesIn(actions);
  if (found) return found;
  throw new EmacError('data', `${path}: its actions must be a list of texts, got ${actions.slice(0, 80)}`);
}

function namesIn(text: string): readonly string[] | null {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.every((each) => typeof each === 'string') ? found : null;
  } catch {
    return null;
  }
}

function furtherFiles({ files }: Manifest): string[] {
  const known: readonly string[] = [checkpointFiles.projection, checkpointFiles.optimizer];
  return Object.keys(files).filter((name) => name.endsWith('.safetensors') && !known.includes(name));
}

function existingPlace(path: string): CheckpointPlace {
  if (isThere(join(path, layout.checkpoints))) return named(path, layout.latest);
  const isCheckpoint =
    isThere(join(path, checkpointFiles.projection)) || isThere(join(path, 'MANIFEST.json'));
  if (isCheckpoint) return { folder: path, name: basename(path) };
  throw new EmacError('data', `${path}: is neither a run folder nor a checkpoint folder`);
}

function named(run: string, which: 'latest' | 'best'): CheckpointPlace {
  const pointer = join(run, layout.checkpoints, which);
  if (!isThere(pointer))
    throw new EmacError('missing', `${run}: has no ${which} checkpoint (${pointer} does not exist)`);
  const name = whileReading(pointer, () => readFileSync(pointer, 'utf8')).trim();
  if (!/^\d{8,}$/.test(name))
    throw new EmacError(
      'data',
      `${pointer}: must name a checkpoint, holds ${JSON.stringify(name.slice(0, 40))}`,
    );
  return inRun(run, name);
}

function inRun(run: string, name: string): CheckpointPlace {
  const place = join(run, layout.checkpoints, name);
  const folder = presentFolder(place);
  if (folder === null) throw new EmacError('missing', `${place}: does not exist`);
  return { folder, name, run };
}

function readTensors(path: string): ParameterSet {
  const file = openSafetensors(path);
  return new Map(
    [...file.tensors.values()].map(({ name, shape }) => [name, { shape, data: readFloat32(file, name) }]),
  );
}

function readState(path: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as Record<string, unknown>;
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `${path}: is not JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function withIdentity(manifest: Manifest, folder: string): Manifest & CheckpointIdentity {
  const { baseModel, games } = manifest;
  const areGames = Array.isArray(games) && games.every((game) => typeof game === 'string');
  if (typeof baseModel !== 'string' || !areGames)
    throw new EmacError('data', `${folder}: its manifest must name the base model and the games trained on`);
  return { ...manifest, baseModel, games: games as string[] };
}
