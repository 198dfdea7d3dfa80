/**
 * Unpacks an archive into a folder, completely or not at all. An archive is rejected as a whole for names that lead out of the
 * folder, links, devices, and too much unpacked data.
 */
import { renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  createFolder,
  discard,
  isThere,
  requireSpace,
  syncFolder,
  syncTree,
  temporaryBeside,
  whileWriting,
} from '@emac/files';
import { writingTo } from '../writing.ts';
import { archiveFault, isNoise, safePath, type ArchiveEntry, type ArchiveLimits } from './entry.ts';
import { tarEntries } from './tar.ts';
import { requireWithin, zipEntries } from './zip.ts';

export interface Extracted {
  readonly files: number;
  readonly bytes: number;
}

export interface ExtractOptions {
  /** default 200,000 entries, 32 GiB */
  readonly limits?: ArchiveLimits;
  readonly signal?: AbortSignal | undefined;
  /** receives the number of unpacked files */
  readonly progress?: ((files: number) => void) | undefined;
  /** the incomplete folder lies beside this path instead of beside the folder itself */
  readonly temporaryAt?: string;
}

const usualLimits: ArchiveLimits = { entries: 200_000, bytes: 32 * 2 ** 30 };

/** Unpacks a zip or tar.gz file into a new folder. Errors: `data`, `cannot-create`, `io`, `interrupted`; then there is no folder. */
export async function extractArchive(
  archive: string,
  folder: string,
  options: ExtractOptions = {},
): Promise<Extracted> {
  if (isThere(folder))
    throw new EmacError('cannot-create', `${folder}: already exists; remove it, or choose another folder`);
  createFolder(dirname(folder));
  const temporary = temporaryBeside(options.temporaryAt ?? folder);
  try {
    createFolder(temporary);
    const extracted = await unpack(archive, temporary, options);
    whileWriting(folder, () => {
      syncTree(temporary);
      renameSync(temporary, folder);
      syncFolder(dirname(folder));
    });
    return extracted;
  } catch (thrown) {
    discard(temporary);
    throw archiveFault(archive, thrown);
  }
}

async function unpack(
  archive: string,
  folder: string,
  { limits = usualLimits, signal, progress }: ExtractOptions,
): Promise<Extracted> {
  let [entries, files, bytes] = [0, 0, 0];
  for await (const entry of await entriesOf(archive, limits, folder)) {
    if (signal?.aborted) throw new EmacError('interrupted', `${archive}: stopped on request`);
    requireWithin(archive, limits, { entries: ++entries, bytes });
    if (isNoise(entry.name)) continue;
    const parts = safePath(entry.name, archive);
    if (entry.kind === 'other')
      throw new EmacError('data', `${archive}: holds a link or device, ${entry.name}; nothing was unpacked`);
    if (parts.length === 0) continue;
    const path = join(folder, ...parts);
    const isFolder = entry.kind === 'folder';
    makeFolder(isFolder ? path : dirname(path), { archive, entry });
    if (isFolder) continue;
    await writeFile(path, {
      archive,
      entry,
      count: (more) => requireWithin(archive, limits, { entries, bytes: (bytes += more) }),
    });
    files++;
    progress?.(files);
  }
  return { files, bytes };
}

/** Chosen by the file's first bytes. */
async function entriesOf(
  archive: string,
  limits: ArchiveLimits,
  folder: string,
): Promise<AsyncIterable<ArchiveEntry>> {
  const file = await writingTo(archive, () => open(archive, 'r'));
  const head = Buffer.alloc(4);
  await file.read(head, 0, 4, 0).finally(() => file.close());
  if (head.readUInt16BE(0) === 0x1f8b) return tarEntries(archive);
  if (head.toString('latin1') === 'PK\x03\x04' || head.toString('latin1') === 'PK\x05\x06')
    return zipEntries(archive, limits, (bytes) => requireSpace(folder, bytes));
  throw new EmacError('data', `${archive}: is neither a zip nor a tar.gz file; give the address of one`);
}

interface Unpacking {
  readonly archive: string;
  readonly entry: ArchiveEntry;
}

/** An existing file there was unpacked earlier under the same name. */
function makeFolder(path: string, { archive, entry }: Unpacking): void {
  try {
    createFolder(path);
  } catch (thrown) {
    throw thrown instanceof EmacError && thrown.code === 'cannot-create' ? twice(archive, entry) : thrown;
  }
}

function twice(archive: string, { name }: ArchiveEntry): EmacError {
  return new EmacError('data', `${archive}: holds ${name} twice; nothing was unpacked`);
}

async function writeFile(
  path: string,
  { archive, entry, count }: Unpacking & { readonly count: (bytes: number) => void },
): Promise<void> {
  if (isThere(path)) throw twice(archive, entry);
  const file = await writingTo(path, () => open(path, 'wx'));
  try {
    for await (const chunk of entry.content()) {
      count(chunk.byteLength);
      await writingTo(path, () => file.writeFile(chunk));
    }
    await writingTo(path, () => file.sync());
  } finally {
    await file.close();
  }
}
