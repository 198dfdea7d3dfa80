/**
 * Writes the rows of a Parquet file as lines of JSON, at most so many bytes: node parquet-lines.mjs FILE OUT BYTES. Rows are read group by group, so that memory holds one group.
 * Bytes become base64 as a data URL, whole numbers numbers, dates ISO texts. Ends with 74 where OUT cannot be written, or has
 * almost filled its disk, and with 65 beyond the bytes.
 */
import { closeSync, openSync, statfsSync, writeFileSync } from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** bytes of a group that is decoded at once; a larger one is read in parts, each of which decodes its pages again */
const largestGroup = 128 << 20;

/** bytes that stay free on the disk for others, and how many are written between two looks at it */
const leftFree = 256 << 20;
const betweenLooks = 64 << 20;

const [path, out, most] = process.argv.slice(2);

function plain(_name, value) {
  if (typeof value === 'bigint') return Number(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const isBytes = value instanceof Uint8Array;
    return isBytes
      ? `data:;base64,${Buffer.from(value).toString('base64')}`
      : [...value].map((each) => plain('', each));
  }
  return value;
}

/** A fault with the status that ends this program. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let [isWriting, written, seen] = [false, 0, 0];

/** A disk that is nearly full takes a part of a line, so it is asked until it has all. */
function write(lines, text) {
  written += Buffer.byteLength(text);
  if (written > Number(most)) throw new Refusal(65, `its rows are more than ${most} bytes of JSON`);
  isWriting = true;
  writeFileSync(lines, text);
  isWriting = false;
  if (written - seen < betweenLooks) return;
  seen = written;
  const { bavail, bsize } = statfsSync(out);
  if (bavail * bsize < leftFree)
    throw new Refusal(74, `after ${written} bytes less than ${leftFree} are free on the disk`);
}

try {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const lines = openSync(out, 'wx');
  let start = 0;
  for (const { num_rows: count, total_byte_size: bytes } of metadata.row_groups) {
    const atOnce = Math.max(1, Math.ceil(Number(count) / Math.ceil(Number(bytes) / largestGroup)));
    const end = start + Number(count);
    for (; start < end; start += atOnce) {
      const rows = { rowStart: start, rowEnd: Math.min(end, start + atOnce) };
      const found = await parquetReadObjects({ file, metadata, compressors, utf8: false, ...rows });
      for (const row of found) write(lines, `${JSON.stringify(row, plain)}\n`);
    }
    start = end;
  }
  closeSync(lines);
} catch (thrown) {
  process.stderr.write(thrown instanceof Error ? thrown.message : String(thrown));
  process.exitCode = thrown instanceof Refusal ? thrown.status : isWriting ? 74 : 1;
}
