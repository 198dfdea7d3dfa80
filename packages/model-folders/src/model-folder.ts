/** Copies model folders: lists their files, tells weights from others, and syncs files to disk. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { modelIdentity, weightFileNames, type ModelFiles } from '@emac/backbone';
import { EmacError } from '@emac/core';
import {
  discard,
  isFile,
  isFolder,
  isThere,
  syncFolder,
  temporaryBeside,
  whileReading,
  whileWriting,
} from '@emac/files';
import { ownProjection, projectionForm, type PolicyForm } from '@emac/opening';
import type { Checkpoint } from '@emac/runs';

/** Weight files and their indices, as named by the libraries around Hugging Face. */
const weights =
  /(\.safetensors|^pytorch_model.*\.bin|^tf_model.*\.h5|^flax_model.*\.msgpack|^rust_model\.ot)(\.index\.json)?$/;

/** The model card of a model. */
export const cardName = 'README.md';

/** A model's own card stays beside the new one. */
export const copiedName = (name: string): string => (name === cardName ? 'README-base.md' : name);

export interface Content {
  /** path inside the folder */
  readonly name: string;
  readonly size: number;
}

/** Every file of a folder except hidden ones; follows links. */
export function contents(folder: string, below = ''): Content[] {
  return whileReading(folder, () => readdirSync(join(folder, below)))
    .filter((name) => !name.startsWith('.'))
    .sort()
    .flatMap((name): Content[] => {
      const path = join(below, name);
      if (isFolder(join(folder, path))) return contents(folder, path);
      if (!isFile(join(folder, path))) return [];
      return [{ name: path, size: statSync(join(folder, path)).size }];
    });
}

/** Copies a file, or links it if requested and possible. */
export function copyFile(source: string, target: string, isLinked: boolean): void {
  if (isLinked && linked(source, target)) return;
  whileReading(source, () => copyFileSync(source, target, constants.COPYFILE_FICLONE));
  // the source may be read-only
  chmodSync(target, 0o644);
  synced(target, () => {});
}

/** False if the target is on another disk, or the system has no links. */
function linked(source: string, target: string): boolean {
  try {
    // links to the real file: a relative link from a model folder would point elsewhere from here
    linkSync(realpathSync(source), target);
    return true;
  } catch {
    return false;
  }
}

/** Errors: `cannot-create` if the new folder exists, or would lie inside the model that is copied. */
export function checkOut(out: string, base: string, said = out): void {
  if (isThere(out)) throw new EmacError('cannot-create', `${said}: already exists; give another name`);
  if (!relative(realpathSync(base), realPlace(out)).startsWith('..'))
    throw new EmacError('cannot-create', `${said}: lies inside ${base}, which is copied; give another place`);
}

/** The absolute path without links; it need not exist. */
function realPlace(path: string): string {
  const absolute = resolve(path);
  return isThere(absolute) ? realpathSync(absolute) : join(realPlace(dirname(absolute)), basename(absolute));
}

/** Creates a folder completely or not at all: `fill` writes into a temporary one beside it. Errors: `io`, naming `out`. */
export function writeWhole(out: string, fill: (temporary: string) => void): void {
  const temporary = temporaryBeside(out);
  whileWriting(out, () => {
    try {
      mkdirSync(temporary);
      fill(temporary);
      syncFolder(temporary);
      renameSync(temporary, out);
    } catch (thrown) {
      discard(temporary);
      throw thrown;
    }
    syncFolder(dirname(out));
  });
}

/** A trained policy to put into a model folder, and advice if it does not fit. */
export interface Fitting extends Pick<Checkpoint, 'manifest'> {
  /** as it was named */
  readonly place: string;
  readonly form: Pick<PolicyForm, 'projection' | 'visionNorm'>;
  readonly instead: { readonly ofProjection: string; readonly ofModel: string };
}

/** Returns the model's identity. Errors: `usage` for a projection that does not fit it; `data` for a policy trained with another model. */
export async function checkFits(
  files: ModelFiles,
  { place, form, manifest, instead }: Fitting,
): Promise<string> {
  const own = projectionForm(ownProjection(files));
  const { projection, visionNorm } = form;
  if (shapeOf(projection) !== shapeOf(own) || visionNorm !== null)
    throw new EmacError(
      'usage',
      `${place}: the model folder takes a projection that is ${shapeOf(own)}, this one is ${visionNorm ? 'trained with a vision norm' : shapeOf(projection)}; ${instead.ofProjection}`,
    );
  const identity = await modelIdentity(files);
  if (identity === manifest.baseModel) return identity;
  throw new EmacError(
    'data',
    `${place}: was trained with another model (${manifest.baseModel.slice(0, 12)}) than ${files.folder} (${identity.slice(0, 12)}); ${instead.ofModel}`,
  );
}

function shapeOf(projection: PolicyForm['projection']): string {
  if (!projection) return 'none';
  const { kind, hidden } = projection;
  return hidden === null ? kind : `an ${kind} of width ${hidden}`;
}

/** Unread weight files of a model folder: other copies of the same weights. */
export function unusedWeights(folder: string, all: readonly Content[]): Content[] {
  const used = new Set(weightFileNames(folder));
  return all.filter(({ name }) => weights.test(basename(name)) && !used.has(name));
}

/** Lets `act` write into a file, and waits until it is on disk. */
export function synced(path: string, act: (descriptor: number) => void): void {
  const descriptor = openSync(path, 'r+');
  try {
    act(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
