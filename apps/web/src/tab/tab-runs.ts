/** The runs on the tab's disk: listed, taken from elsewhere, handed out, removed. */
import { basename, dirname, join } from 'pathe';
import { EmacError } from '@emac/core';
import { createFolder } from '@emac/files';
import { compactTabDisk, tabDisk } from '@emac/platform/tab';
import type { MetricsLine, RunView } from '@emac/pages/data';
import { readRun } from '@emac/report';
import { isDone, layout, runsIn } from '@emac/runs';
import type { FolderFile, TabRun } from './messages.ts';

const home = '/runs';

/** Newest first. */
export function tabRuns(): TabRun[] {
  return namesIn(home)
    .flatMap((name) => runsIn(join(home, name)))
    .sort((one, other) => (one.record.started < other.record.started ? 1 : -1))
    .map(({ folder }) => ({
      folder,
      view: headOf(folder),
      isDone: isDone(folder),
      bytes: sizeOf(folder),
    }));
}

/** All files below a folder. */
export function filesBelow(folder: string, path = ''): FolderFile[] {
  return namesIn(join(folder, path)).flatMap((name) => {
    const below = join(path, name);
    const whole = join(folder, below);
    if (tabDisk.statSync(whole)!.isDirectory()) return filesBelow(folder, below);
    return [{ path: below, bytes: tabDisk.readFileSync(whole) as Uint8Array }];
  });
}

/** Removes a run, and the folder of its own that it was alone in. */
export async function removeRun(folder: string): Promise<void> {
  const parent = dirname(folder);
  const isAlone = parent !== home && runsIn(parent).length <= 1;
  tabDisk.rmSync(isAlone ? parent : folder, { recursive: true });
  await compactTabDisk();
}

/**
 * Writes the runs among the files, those beside a `run.json`, to the disk; returns the folder of the first. Errors: `data` without any;
 * `usage` if a run of that name is there.
 */
export function importRuns(name: string, files: readonly FolderFile[]): string {
  const roots = files.flatMap(({ path }) => (basename(path) === layout.run ? [dirname(path)] : []));
  if (roots.length === 0)
    throw new EmacError(
      'data',
      `${name}: holds no ${layout.run}; choose the folder of a run, or its archive`,
    );
  const imported = roots.map((root) => importRun(root, name, files));
  return imported[0]!;
}

function importRun(root: string, name: string, files: readonly FolderFile[]): string {
  const isRoot = root === '.';
  const own = isRoot ? plainName(name) : basename(root);
  const folder = join(home, `${own} imported`, own);
  if (tabDisk.existsSync(folder))
    throw new EmacError('usage', `${own}: a run of this name is here already; delete it first`);
  for (const { path, bytes } of files) {
    if (!isRoot && !path.startsWith(`${root}/`)) continue;
    const to = join(folder, isRoot ? path : path.slice(root.length + 1));
    if (!to.startsWith(`${folder}/`)) continue;
    createFolder(dirname(to));
    tabDisk.writeFileSync(to, bytes);
  }
  return folder;
}

const plainName = (name: string): string => basename(name).replace(/\.zip$/, '');

/** Lines of `metrics.jsonl` from a position on, and where they end. */
export function linesFrom(
  folder: string,
  start: number,
): { readonly lines: MetricsLine[]; readonly end: number } {
  const path = join(folder, layout.metrics);
  if (!tabDisk.existsSync(path)) return { lines: [], end: start };
  const text = tabDisk.readFileSync(path, 'utf8') as string;
  const end = text.lastIndexOf('\n') + 1;
  const lines = text.slice(start, end).split('\n').slice(0, -1);
  return { lines: lines.map((line) => JSON.parse(line) as MetricsLine), end };
}

/** What its headline shows; curves and episodes are read by themselves. */
export function headOf(folder: string): RunView {
  return { ...readRun(folder, new Date(Date.now())), series: [], episodes: [], attempts: [] };
}

function namesIn(folder: string): string[] {
  return tabDisk.existsSync(folder) ? tabDisk.readdirSync(folder).map(String) : [];
}

function sizeOf(path: string): number {
  const stats = tabDisk.statSync(path)!;
  if (!stats.isDirectory()) return stats.size;
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
