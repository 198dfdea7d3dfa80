/**
 * The folders with a result below the board's folder: runs, evaluations, comparisons and sweeps. Folders that only hold
 * others are looked into; the folders of a sweep's runs and of a comparison's policies follow theirs.
 */
import { existsSync, lstatSync, readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { pathInside } from '@emac/files';
import type { ResultKind } from '@emac/pages';
import { layout } from '@emac/runs';

/** Files of a comparison of policies and of a sweep. */
export const resultFiles = {
  comparison: 'comparison.json',
  sweep: 'sweep.json',
  sweepResults: 'results.json',
} as const;

/** The files that a row of the list is made of. */
export const rowFiles = [
  layout.run,
  layout.config,
  layout.command,
  layout.metrics,
  layout.evaluation,
  layout.evaluationBefore,
  layout.done,
  layout.notes,
  resultFiles.comparison,
  resultFiles.sweep,
  resultFiles.sweepResults,
] as const;

export type RowFile = (typeof rowFiles)[number];

/** Size and time of the last change; equal stamps mean equal content. */
export type Stamp = readonly [size: number, changed: number];

export interface ResultFolder {
  /** the path below the board's folder, with `/` */
  readonly name: string;
  readonly folder: string;
  readonly kind: ResultKind;
  /** the sweep or comparison that it belongs to; null for one of its own */
  readonly parent: string | null;
  readonly stamps: Readonly<Partial<Record<RowFile, Stamp>>>;
}

/** how many folders may lie around a result */
const deepest = 3;

/** All of them; none if the folder is missing. Unreadable folders are left out. */
export function resultFolders(folder: string): ResultFolder[] {
  return existsSync(folder) ? resultsIn(folder, { above: '', parent: null, depth: 0 }) : [];
}

/** The result of that name. Null without one: a name leads nowhere but into the board's folder. */
export function resultFolder(folder: string, name: string): ResultFolder | null {
  const parts = name.split('/');
  if (
    parts.length > 2 * deepest ||
    parts.some((part) => part === '' || isHidden(part) || /[\\\0]/.test(part))
  )
    return null;
  const path = join(folder, ...parts);
  const names = namesIn(path);
  const kind = kindOf(names);
  return kind && { name, folder: path, kind, parent: null, stamps: stampsOf(path, names) };
}

interface Place {
  /** name of the folder, with a `/` after it */
  readonly above: string;
  readonly parent: string | null;
  readonly depth: number;
}

function resultsIn(folder: string, { above, parent, depth }: Place): ResultFolder[] {
  return namesIn(folder).flatMap((part): ResultFolder[] => {
    if (isHidden(part) || /\.[a-z]+$/.test(part)) return [];
    const path = join(folder, part);
    const names = namesIn(path);
    const kind = kindOf(names);
    const name = above + part;
    const inside = { above: `${name}/`, depth: depth + 1 };
    if (kind === null) return depth + 1 < deepest ? resultsIn(path, { ...inside, parent }) : [];
    const found: ResultFolder = { name, folder: path, kind, parent, stamps: stampsOf(path, names) };
    if (kind === 'run' || kind === 'evaluation') return [found];
    // its own depth begins anew
    return [found, ...resultsIn(path, { ...inside, parent: name, depth: 0 })];
  });
}

function kindOf(names: readonly string[]): ResultKind | null {
  const has = (file: string) => names.includes(file);
  if (has(layout.run)) return 'run';
  if (has(resultFiles.comparison)) return 'comparison';
  if (has(resultFiles.sweep)) return 'sweep';
  return has(layout.evaluation) ? 'evaluation' : null;
}

function stampsOf(folder: string, names: readonly string[]): ResultFolder['stamps'] {
  const stamps: Partial<Record<RowFile, Stamp>> = {};
  for (const file of rowFiles) {
    const stat = names.includes(file) ? statOf(folder, file) : null;
    if (stat) stamps[file] = [stat.size, stat.mtimeMs];
  }
  return stamps;
}

/** Null for a file that is gone, must not be read, lies elsewhere, or is a link to itself. */
function statOf(folder: string, name: string): Stats | null {
  try {
    // only a link can lead elsewhere, and following links costs most of a look at thousands of folders
    const stat = lstatSync(join(folder, name));
    if (stat.isSymbolicLink()) return statSync(pathInside(folder, name));
    return stat.isFile() ? stat : null;
  } catch {
    return null;
  }
}

const isHidden = (name: string) => name.startsWith('.');

/** None for what is no folder, is gone or must not be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
