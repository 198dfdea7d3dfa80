/**
 * The entries of a zip archive (PKWARE APPNOTE 6.3.10) as `torch.save` writes it: stored without compression, so an
 * entry's bytes can be used in place; ZIP64 if the archive or an entry is larger than 4 GiB. Only the end of the file
 * and the needed headers are read. Checksums are not verified, since that would read the whole file.
 */
import { EmacError } from '@emac/core';
import type { ByteRange, RangeReader } from '@emac/files';

export interface ZipEntry {
  readonly name: string;
  /** bytes of content */
  readonly size: number;
  readonly headerOffset: number;
  /** where the next entry or the directory begins; the content must end before it */
  readonly limit: number;
}

const signatures = {
  local: 0x04034b50,
  central: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator: 0x07064b50,
};
const endBytes = 22;
const locatorBytes = 20;
const end64Bytes = 56;
const centralBytes = 46;
const localBytes = 30;
const zip64Field = 1;
const in64 = 0xffffffff;
const maximumDirectoryBytes = 64 << 20;

interface Directory extends ByteRange {
  readonly count: number;
}

/** The archive's entries by name. Errors: `data` if it is no archive, truncated or contradictory. */
export function readZipEntries(reader: RangeReader): ReadonlyMap<string, ZipEntry> {
  const directory = findDirectory(reader);
  if (directory.length > maximumDirectoryBytes || directory.offset + directory.length > reader.size)
    throw damaged(
      reader,
      `its directory of ${directory.length} bytes at ${directory.offset} lies outside the file`,
    );
  const bytes = reader.read(directory);
  const entries = new Map<string, ZipEntry>();
  for (const entry of withLimits(reader, parseDirectory(reader, bytes, directory.count), directory.offset)) {
    if (entries.has(entry.name)) throw damaged(reader, `has two entries ${JSON.stringify(entry.name)}`);
    entries.set(entry.name, entry);
  }
  return entries;
}

/** Where an entry's content lies in the file. Errors: `data` if its header is damaged. */
export function contentOf(reader: RangeReader, entry: ZipEntry): ByteRange {
  const { name, headerOffset, limit, size } = entry;
  if (headerOffset + localBytes > limit) throw damaged(reader, `entry ${name} has no room for its header`);
  const header = view(reader.read({ offset: headerOffset, length: localBytes }));
  if (header.getUint32(0, true) !== signatures.local)
    throw damaged(reader, `entry ${name} has no header at byte ${headerOffset}`);
  const offset = headerOffset + localBytes + header.getUint16(26, true) + header.getUint16(28, true);
  if (offset + size > limit)
    throw damaged(reader, `entry ${name} ends at byte ${offset + size}, its space at ${limit}`);
  return { offset, length: size };
}

function findDirectory(reader: RangeReader): Directory {
  const tailLength = Math.min(reader.size, endBytes + 0xffff);
  const tailOffset = reader.size - tailLength;
  const tail = view(reader.read({ offset: tailOffset, length: tailLength }));
  for (let at = tailLength - endBytes; at >= 0; at--) {
    const isEnd = tail.getUint32(at, true) === signatures.end;
    if (!isEnd || at + endBytes + tail.getUint16(at + 20, true) !== tailLength) continue;
    const found = { count: tail.getUint16(at + 10, true), length: tail.getUint32(at + 12, true) };
    return findDirectory64(reader, tailOffset + at) ?? { ...found, offset: tail.getUint32(at + 16, true) };
  }
  throw damaged(reader, 'has no zip directory at its end; it was cut short');
}

/** The directory by the ZIP64 records before the end record at `end`; null without them. */
function findDirectory64(reader: RangeReader, end: number): Directory | null {
  if (end < locatorBytes) return null;
  const locator = view(reader.read({ offset: end - locatorBytes, length: locatorBytes }));
  if (locator.getUint32(0, true) !== signatures.locator) return null;
  const offset = Number(locator.getBigUint64(8, true));
  if (offset + end64Bytes > end) throw damaged(reader, `its ZIP64 record cannot be at byte ${offset}`);
  const record = view(reader.read({ offset, length: end64Bytes }));
  if (record.getUint32(0, true) !== signatures.end64)
    throw damaged(reader, `has no ZIP64 record at byte ${offset}`);
  return {
    count: Number(record.getBigUint64(32, true)),
    length: Number(record.getBigUint64(40, true)),
    offset: Number(record.getBigUint64(48, true)),
  };
}

type Listed = Omit<ZipEntry, 'limit'>;

function parseDirectory(reader: RangeReader, bytes: Uint8Array, count: number): Listed[] {
  const directory = view(bytes);
  const entries: Listed[] = [];
  let at = 0;
  while (at + centralBytes <= bytes.length && directory.getUint32(at, true) === signatures.central) {
    const lengths = [28, 30, 32].map((field) => directory.getUint16(at + field, true));
    const [nameLength, extraLength] = lengths as [number, number, number];
    const next = at + centralBytes + lengths.reduce((sum, length) => sum + length, 0);
    if (next > bytes.length) break;
    const nameEnd = at + centralBytes + nameLength;
    const name = new TextDecoder().decode(bytes.subarray(at + centralBytes, nameEnd));
    const header = new DataView(bytes.buffer, at, centralBytes);
    entries.push(readEntry(reader, name, { header, extra: bytes.subarray(nameEnd, nameEnd + extraLength) }));
    at = next;
  }
  if (at !== bytes.length || entries.length !== count)
    throw damaged(reader, `its directory should list ${count} entries, ${entries.length} can be read`);
  return entries;
}

function readEntry(
  reader: RangeReader,
  name: string,
  { header, extra }: { header: DataView; extra: Uint8Array },
): Listed {
  const [flags, method] = [header.getUint16(8, true), header.getUint16(10, true)];
  const stated = [24, 20, 42].map((field) => header.getUint32(field, true));
  const large = largeNumbers(extra);
  const [size, stored, headerOffset] = stated.map((value) =>
    value === in64 ? (large.shift() ?? NaN) : value,
  );
  if (flags & 1) throw damaged(reader, `entry ${name} is encrypted`);
  if (method !== 0 || size !== stored)
    throw damaged(reader, `entry ${name} is compressed; save the file with torch.save`);
  if (![size, headerOffset].every((value) => Number.isSafeInteger(value)))
    throw damaged(reader, `entry ${name} has no usable size or place`);
  return { name, size: size!, headerOffset: headerOffset! };
}

/** The ZIP64 field's 64-bit numbers, in order: those of size, stored size and offset that do not fit 32 bits. */
function largeNumbers(extra: Uint8Array): number[] {
  const fields = view(extra);
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [fields.getUint16(at, true), fields.getUint16(at + 2, true)];
    if (id === zip64Field && at + 4 + length <= extra.length)
      return Array.from({ length: Math.floor(length / 8) }, (_, index) =>
        Number(fields.getBigUint64(at + 4 + index * 8, true)),
      );
    at += 4 + length;
  }
  return [];
}

function withLimits(reader: RangeReader, entries: readonly Listed[], end: number): ZipEntry[] {
  const ordered = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  return ordered.map((entry, index) => {
    const limit = ordered[index + 1]?.headerOffset ?? end;
    if (entry.headerOffset + localBytes + entry.size > limit)
      throw damaged(reader, `entry ${entry.name} overlaps what follows it, or was cut short`);
    return { ...entry, limit };
  });
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged({ path }: RangeReader, rule: string): EmacError {
  return new EmacError('data', `${path}: ${rule}`);
}
