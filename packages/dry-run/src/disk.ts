/** A run's expected disk use, by file type. Texts and pictures are assumed as large as the measured ones. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { isFolder, isThere, requireSpace, whileWriting } from '@emac/files';
import { sumOf, type PolicySizes, type Range } from '@emac/opening';

export interface PartOfDisk {
  readonly name: string;
  readonly bytes: Range;
}

export interface ExpectedDisk {
  readonly parts: readonly PartOfDisk[];
  readonly total: Range;
}

/** Parameters, two moments of the trainable ones, and the state. */
function checkpointBytes({ parameters, trained }: PolicySizes): Range {
  const tensors = parameters + 2 * trained;
  return { least: tensors, most: tensors + 32_768 };
}

/** `written`: how many; `keep`: the newest of them stay, null for all, and the best and the ends of `rounds`, at most. */
export function checkpointsBytes(
  sizes: PolicySizes,
  {
    written,
    keep,
    rounds,
  }: { readonly written: Range; readonly keep: number | null; readonly rounds: number },
): Range {
  const one = checkpointBytes(sizes);
  const kept = (count: number, beside: number) => Math.min(count, (keep ?? Infinity) + beside);
  return { least: kept(written.least, 1) * one.least, most: kept(written.most, 1 + rounds) * one.most };
}

/** The place of a run's output. */
export interface Room {
  readonly folder: string;
  /** bytes */
  readonly free: number;
}

/** Errors: those of `writableAbove`; `io` if there is less space than a run needs to start. */
export function roomFor(
  out: string,
  { needed, machine }: { readonly needed: number; readonly machine: { freeSpace(folder: string): number } },
): Room {
  const folder = writableAbove(out);
  const free = machine.freeSpace(folder);
  requireSpace(folder, needed, free);
  return { folder, free };
}

/**
 * The place with the expected output, and a warning if that may be too much, else null. Errors: `io` if even the least
 * is too much.
 */
export function filled(
  { folder, free }: Room,
  parts: readonly PartOfDisk[],
): { readonly disk: ExpectedDisk & Room; readonly warning: string | null } {
  const expected = { parts, total: sumOf(parts.map(({ bytes }) => bytes)) };
  requireSpace(folder, expected.total.least, free);
  const isTight = expected.total.most > free;
  return {
    disk: { ...expected, folder, free },
    warning: isTight ? `disk: ${folder} may be too small if games reach their step limit` : null,
  };
}

/**
 * The nearest existing folder above a path, where the rest could be created; creates nothing. Errors: `cannot-create`
 * if a file is in the way, `auth` if it is not writable.
 */
function writableAbove(path: string): string {
  const place = resolve(path);
  if (!isThere(place)) return writableAbove(dirname(place));
  if (!isFolder(place))
    throw new EmacError('cannot-create', `${path}: is a file; choose another path for --out`);
  whileWriting(place, () => accessSync(place, constants.W_OK));
  return place;
}
