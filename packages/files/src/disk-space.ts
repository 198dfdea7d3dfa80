/** Checks disk space before hours of work, not after them. */
import { statfsSync } from '@emac/platform';
import { EmacError } from '@emac/core';
import { whileReading } from './io-error.ts';

/** Free bytes for files in `folder`. Errors: `missing`, `auth`, `io`. */
export function freeSpace(folder: string): number {
  const { bavail, bsize } = whileReading(folder, () => statfsSync(folder));
  return bavail * bsize;
}

/** Throws `io` if less than `bytes` are free for files in `folder`. */
export function requireSpace(folder: string, bytes: number, free = freeSpace(folder)): void {
  if (free < bytes)
    throw new EmacError(
      'io',
      `${folder}: needs ${megabytes(bytes)} of free space, there are ${megabytes(free)}; free some space or choose another folder`,
    );
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
