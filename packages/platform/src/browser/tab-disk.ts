/// <reference lib="dom" />
/// <reference lib="dom.asynciterable" />
/** The one disk of a tab, which its `fs` uses, and the log that keeps it over reloads. */
import { createDisk } from './disk.ts';
import { beginLog, openLog, type LogFile, type OpenedLog } from './log.ts';

// eslint-disable-next-line no-restricted-properties -- the one clock of a tab
export const tabDisk = createDisk(Date.now);

/** a log with more than this, and more than half of it gone, begins anew */
const mostGoneBytes = 16 * 1024 * 1024;

/** where changes are kept now */
interface Kept {
  readonly folder: FileSystemDirectoryHandle;
  readonly number: number;
  readonly file: ClosableFile;
  readonly log: OpenedLog;
  readonly free: () => number;
}

let kept: Kept | null = null;

/**
 * Reads the tab's disk from its private file system, and keeps changes there from now on, as long as the worker lives. Only in a Web
 * Worker. Errors: `Error` if another tab of the site has the disk, or if it is damaged.
 */
export async function keepTabDisk(): Promise<void> {
  await haveAlone('the disk of the tab');
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('disk', { create: true });
  const { quota = 0, usage = 0 } = await navigator.storage.estimate();
  const free = () => quota - usage;
  const numbers = (await namesOf(folder)).map((name) => parseInt(name, 10)).sort((a, b) => b - a);
  for (const number of numbers) {
    const file = await logFile(folder, number);
    const log = openLog(file, tabDisk.tree, free);
    if (log.isWhole) {
      keepIn({ folder, number, file, log, free });
      await removeOthers(folder, number);
      return compactTabDisk();
    }
    file.close();
    // a log that was begun and not finished leaves the one before it whole
    tabDisk.tree.clear();
  }
  if (numbers.length > 0)
    throw new Error('the runs of this site are damaged; clear its data in the browser to begin anew');
  await renew(folder, 0, free);
}

/** Begins the log anew if most of it is gone, such as removed runs. */
export async function compactTabDisk(): Promise<void> {
  if (kept === null || kept.log.length < mostGoneBytes + 2 * sizeOf()) return;
  const { folder, number, file, free } = kept;
  await renew(folder, number, free);
  file.close();
  await removeOthers(folder, number + 1);
}

function keepIn(next: Kept): void {
  kept = next;
  tabDisk.keepIn(next.log);
}

/** Waits for the worker of a page that is being left. */
const patienceMs = 5000;

/** Errors: another tab has it. */
function haveAlone(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const held = () => {
      resolve();
      // for ever
      return new Promise<never>(() => {});
    };
    navigator.locks
      .request(name, { signal: AbortSignal.timeout(patienceMs) }, held)
      .catch(() => reject(new Error('another tab of this site trains; close it')));
  });
}

async function renew(folder: FileSystemDirectoryHandle, before: number, free: () => number): Promise<void> {
  const file = await logFile(folder, before + 1);
  keepIn({ folder, number: before + 1, file, log: beginLog(file, tabDisk.tree, free), free });
}

async function removeOthers(folder: FileSystemDirectoryHandle, number: number): Promise<void> {
  for (const name of await namesOf(folder)) if (name !== `${number}.log`) await folder.removeEntry(name);
}

async function namesOf(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

async function logFile(folder: FileSystemDirectoryHandle, number: number): Promise<ClosableFile> {
  const handle = await folder.getFileHandle(`${number}.log`, { create: true });
  return (handle as unknown as WithSyncAccess).createSyncAccessHandle();
}

type ClosableFile = LogFile & { close(): void };

/** TypeScript has this for workers alone. */
interface WithSyncAccess {
  createSyncAccessHandle(): Promise<ClosableFile>;
}

/** bytes of all files */
function sizeOf(path = '/'): number {
  return tabDisk.readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const { name } = entry as { readonly name: string };
    const stats = tabDisk.statSync(`${path}${name}`)!;
    return sum + (stats.isDirectory() ? sizeOf(`${path}${name}/`) : stats.size);
  }, 0);
}
