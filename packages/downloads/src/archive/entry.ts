/** What an archive holds, one by one, and the rules that keep it inside the folder that it is unpacked into. */
import { EmacError, messageOf } from '@emac/core';

export interface ArchiveEntry {
  readonly name: string;
  /** links and devices are `other` */
  readonly kind: 'file' | 'folder' | 'other';
  /** Bytes of a file, unpacked, checked where the archive has a sum. Read before the next entry is asked for. */
  content(): AsyncIterable<Uint8Array>;
}

export interface ArchiveLimits {
  /** files and folders */
  readonly entries: number;
  /** bytes of all files, unpacked */
  readonly bytes: number;
}

/** Notes that some systems add, of no use to anybody else. */
export function isNoise(name: string): boolean {
  return /^(\.\/)*__MACOSX(\/|$)/.test(name) || /(^|\/)(\.DS_Store|\._[^/]*)$/.test(name);
}

/** The parts of an entry's name below the folder. Errors: `data` for one that leads out of it. */
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

/** Faults of the archive itself as `data`; those of the system and ours stay what they are. */
export function archiveFault(archive: string, thrown: unknown): unknown {
  const isSystem = thrown instanceof Error && 'errno' in thrown && 'syscall' in thrown;
  if (thrown instanceof EmacError || isSystem) return thrown;
  return new EmacError('data', `${archive}: is no whole archive (${messageOf(thrown)}); fetch it again`, {
    cause: thrown,
  });
}
