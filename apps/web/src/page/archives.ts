/** Runs as zip archives and folders, in and out of the page. */
import { unzipSync, zipSync } from 'fflate';
import { normalize } from 'pathe';
import type { FolderFile } from '../tab/messages.ts';
import { ownEnvironment } from './catalogue.ts';

/** Hands the browser an archive with the run's folder. */
export function downloadRun(folder: string, files: readonly FolderFile[]): void {
  const name = folder.split('/').at(-1)!;
  const zip = zipSync(Object.fromEntries(files.map(({ path, bytes }) => [`${name}/${path}`, bytes])));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' }));
  link.download = `${name}.zip`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The files of an archive, or of a folder that was chosen. Errors: those of an archive that is none or would fill the memory. */
export async function filesOf(chosen: readonly File[]): Promise<FolderFile[]> {
  const files = await Promise.all(
    chosen.map(async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      return file.name.endsWith('.zip')
        ? inArchive(bytes)
        : [{ path: file.webkitRelativePath || file.name, bytes }];
    }),
  );
  // under the names that the tab's disk gives them: `a/./b` and `a\b` are `a/b`
  return files
    .flat()
    .map(({ path, bytes }) => ({ path: normalize(path), bytes }))
    .filter(({ path }) => !path.startsWith('../'));
}

/** Whether a run among these files has the module of its environment. */
export function bringsCode(files: readonly Pick<FolderFile, 'path'>[]): boolean {
  return files.some(({ path }) => `/${path}`.endsWith(ownEnvironment.slice(1)));
}

/** bytes of an archive's files together */
const largest = 2e9;

function inArchive(bytes: Uint8Array): FolderFile[] {
  let whole = 0;
  const fits = ({ originalSize }: { readonly originalSize: number }): boolean => {
    whole += originalSize;
    if (whole > largest) throw new RangeError(`an archive may hold ${largest / 1e9} GB`);
    return true;
  };
  return Object.entries(unzipSync(bytes, { filter: fits })).flatMap(([path, content]) =>
    path.endsWith('/') ? [] : [{ path, bytes: content }],
  );
}
