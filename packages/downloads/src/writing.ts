/** Writing that takes its time: faults of the system as those of `whileWriting`, and room on the disk looked at before. */
import { statfs } from 'node:fs/promises';
import { EmacError } from '@emac/core';
import { whileWriting } from '@emac/files';

/** Carries out `action`; its system faults become `cannot-create`, `auth` or `io`, naming the path. */
export async function writingTo<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    return whileWriting(path, () => {
      throw thrown;
    });
  }
}

/** Errors: `io` where less than `bytes` are free for files in `folder`. */
export async function requireRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await writingTo(folder, () => statfs(folder));
  const free = bavail * bsize;
  if (free < bytes)
    throw new EmacError(
      'io',
      `${folder}: needs ${megabytes(bytes)} of free space, there are ${megabytes(free)}; free some space or choose another folder`,
    );
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
