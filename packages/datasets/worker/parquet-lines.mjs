/**
 * Writes the rows of a Parquet file as lines of JSON: node parquet-lines.mjs FILE OUT. Rows are read group by group, so that memory holds one group.
 * Bytes become base64 as a data URL, whole numbers numbers, dates ISO texts. Ends with 74 where OUT cannot be written.
 */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

/** bytes of a group that is decoded at once; a larger one is read in parts, each of which decodes its pages again */
const largestGroup = 128 << 20;

const [path, out] = process.argv.slice(2);

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

let isWriting = false;

/** A disk that is nearly full takes a part of a line, so it is asked until it has all. */
function write(lines, text) {
  isWriting = true;
  writeFileSync(lines, text);
  isWriting = false;
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
  process.exitCode = isWriting ? 74 : 1;
}
