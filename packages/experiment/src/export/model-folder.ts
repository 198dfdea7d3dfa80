/** Model folders as they are copied: what is in them, which of it are weights, and files made safe on disk. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { weightFileNames } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { isFile, isFolder, isThere, whileReading } from '@emac/files';
import { layout, readConfig, readRecord } from '@emac/runs';

/** Files that hold weights, or index such files, as the libraries around Hugging Face name them. */
const weights =
  /(\.safetensors|^pytorch_model.*\.bin|^tf_model.*\.h5|^flax_model.*\.msgpack|^rust_model\.ot)(\.index\.json)?$/;

/** The page of a model. */
export const cardName = 'README.md';

/** Where a model has a page of its own already, it stays beside the new one. */
export const copiedName = (name: string): string => (name === cardName ? 'README-base.md' : name);

export interface Content {
  /** below the folder */
  readonly name: string;
  readonly size: number;
}

/** Every file of a folder, without what hides itself; links are followed. */
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

/** Copies a file, or links it where that is wanted and can be. */
export function copyFile(source: string, target: string, isLinked: boolean): void {
  if (isLinked && linked(source, target)) return;
  whileReading(source, () => copyFileSync(source, target, constants.COPYFILE_FICLONE));
  // it may come from a folder that nobody may write
  chmodSync(target, 0o644);
  synced(target, () => {});
}

/** False where the target is on another disk, or the system has no links. */
function linked(source: string, target: string): boolean {
  try {
    // of the file itself: a link in a model folder may lead elsewhere from here
    linkSync(realpathSync(source), target);
    return true;
  } catch {
    return false;
  }
}

/** Files of weights that lie in a model folder and that nothing reads: other copies of the same. */
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

/** The run around a checkpoint folder that was named itself; null for a copy. */
export function runOf(checkpoint: string): string | null {
  const around = dirname(dirname(checkpoint));
  return isThere(join(around, layout.run)) && isThere(join(around, layout.config)) ? around : null;
}

/** Errors: `data` where the configuration names none. */
export function modelOfRun(run: string): string {
  const { model } = readConfig(run) as { readonly model?: { readonly path?: unknown } };
  const path = model?.path;
  if (typeof path !== 'string')
    throw new EmacError('data', `${run}: its configuration names no model; give it with --model`);
  if (path === 'emma-tiny' || isAbsolute(path)) return path;
  const there = join(readRecord(run).workingDirectory, path);
  return isThere(there) ? there : path;
}
