/** Downloads an archive as a folder. The archive's part is kept until the folder is complete. */
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { discard } from '@emac/files';
import { extractArchive, type Extracted, type ExtractOptions } from './archive/extract.ts';
import { download, type DownloadOptions, type Downloaded, type Wanted } from './download.ts';
import { inWorkingFolder } from './working-folder.ts';

export interface FetchedArchive extends Extracted {
  readonly folder: string;
  /** the downloaded archive; it is not kept */
  readonly archive: Pick<Downloaded, 'bytes' | 'sha256'>;
}

export interface FetchArchiveOptions extends Omit<DownloadOptions, 'progress' | 'partAt' | 'replace'> {
  readonly progress?: DownloadOptions['progress'];
  readonly limits?: ExtractOptions['limits'];
  /** receives the number of unpacked files */
  readonly unpacked?: ExtractOptions['progress'];
}

/**
 * Downloads a zip or tar.gz file and unpacks it into a new folder. Stopped or killed, the same call continues. Errors: those of
 * `download` and `extractArchive`.
 */
export function fetchArchive(
  wanted: Wanted,
  folder: string,
  { limits, unpacked, ...options }: FetchArchiveOptions,
): Promise<FetchedArchive> {
  return inWorkingFolder(folder, async (working) => {
    const path = join(working, 'archive');
    // a complete archive from an earlier call cannot be verified without a hash: it is downloaded again
    const { bytes, sha256 } = await download(wanted, path, { ...options, replace: true });
    try {
      const extracted = await extractArchive(path, folder, {
        ...(limits && { limits }),
        signal: options.signal,
        progress: unpacked,
        temporaryAt: join(working, 'content'),
      });
      return { ...extracted, folder, archive: { bytes, sha256 } };
    } catch (thrown) {
      // it would be as wrong the next time
      if (thrown instanceof EmacError && thrown.code === 'data') discard(path);
      throw thrown;
    }
  });
}
