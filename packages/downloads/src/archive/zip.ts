/** The entries of a zip file: its directory is read first, and every file's CRC-32 is checked here, because yauzl does not check it. */
import { crc32 } from 'node:zlib';
import { EmacError } from '@emac/core';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import type { ArchiveEntry, ArchiveLimits } from './entry.ts';

/** Entries of a zip file; their total unpacked size is checked first. Errors: `data` beyond the limits. */
export async function* zipEntries(
  archive: string,
  limits: ArchiveLimits,
  announce: (bytes: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const zip = await openPromise(archive, { autoClose: false, strictFileNames: true });
  try {
    const entries: Entry[] = [];
    let bytes = 0;
    for await (const entry of zip.eachEntry()) {
      entries.push(entry);
      bytes += entry.uncompressedSize;
      requireWithin(archive, limits, { entries: entries.length, bytes });
    }
    announce(bytes);
    for (const entry of entries)
      yield { name: entry.fileName, kind: kindOf(entry), content: () => checked(zip, entry, archive) };
  } finally {
    zip.close();
  }
}

/** Errors: `data`. */
export function requireWithin(archive: string, limits: ArchiveLimits, counted: ArchiveLimits): void {
  if (counted.entries > limits.entries)
    throw new EmacError('data', `${archive}: holds more than ${limits.entries} files; nothing was unpacked`);
  if (counted.bytes > limits.bytes)
    throw new EmacError(
      'data',
      `${archive}: unpacks to more than ${limits.bytes} bytes; nothing was unpacked`,
    );
}

const unixTypes = 0o170000;
const ofUnix = 3;

/** The Unix file type is in the upper half of the attributes. */
function kindOf({ fileName, versionMadeBy, externalFileAttributes }: Entry): ArchiveEntry['kind'] {
  const type = versionMadeBy >> 8 === ofUnix ? (externalFileAttributes >>> 16) & unixTypes : 0;
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) return 'other';
  return fileName.endsWith('/') ? 'folder' : 'file';
}

async function* checked(zip: ZipFile, entry: Entry, archive: string): AsyncGenerator<Uint8Array> {
  let sum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    sum = crc32(chunk as Uint8Array, sum);
    yield chunk as Uint8Array;
  }
  if (sum !== entry.crc32)
    throw new EmacError('data', `${archive}: ${entry.fileName} does not match its CRC-32; fetch it again`);
}
