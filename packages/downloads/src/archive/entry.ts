/** An archive's entries, one by one, and the rules that keep them inside the target folder. */
import { EmacError, messageOf } from '@emac/core';

export interface ArchiveEntry {
  readonly name: string;
  /** links and devices are `other` */
  readonly kind: 'file' | 'folder' | 'other';
  /** Bytes of a file, unpacked and checked against the archive's checksum, if any. Read them before requesting the next entry. */
  content(): AsyncIterable<Uint8Array>;
}

export interface ArchiveLimits {
  /** files and folders */
  readonly entries: number;
  /** bytes of all files, unpacked */
  readonly bytes: number;
}

/** Metadata files added by some systems, useless elsewhere. */
export function isNoise(name: string): boolean {
  return /^(\.\/)*__MACOSX(\/|$)/.test(name) || /(^|\/)(\.DS_Store|\._[^/]*)$/.test(name);
}

/** The parts of an entry's name below the folder. Errors: `data` for a name that leads out of it. */
export function safePath(name: string, archive: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const isOutside =
    name.startsWith('/') || /^[A-Za-z]:/.test(name) || /[\\\0]/.test(name) || parts.includes('..');
  if (isOutside)
    throw new EmacError(
      'data',
      `${archive}: holds ${JSON.stringify(name.slice(0, 200))}, which leads out of its folder; nothing was unpacked`,
    );
  return parts;
}

/** Faults of the archive itself become `data`; system errors and our own stay unchanged. */
export function archiveFault(archive: string, thrown: unknown): unknown {
  const isSystem = thrown instanceof Error && 'errno' in thrown && 'syscall' in thrown;
  if (thrown instanceof EmacError || isSystem) return thrown;
  return new EmacError(
    'data',
    `${archive}: is not a complete archive (${messageOf(thrown)}); fetch it again`,
    {
      cause: thrown,
    },
  );
}
