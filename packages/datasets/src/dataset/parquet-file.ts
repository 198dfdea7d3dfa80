/**
 * Parquet files as lines of JSON in a temporary folder: written once, when a dataset is opened, and removed as soon as it is open, or where the system cannot, when it is closed. A process of
 * its own reads the file group by group, so memory holds one group of rows, and the disk a copy of the data. A dataset's records are read synchronously, which
 * the Parquet reader cannot do.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmacError, exitCodes } from '@emac/core';
import { refusePointer, whileReading, whileWriting } from '@emac/files';

const program = fileURLToPath(new URL('../../worker/parquet-lines.mjs', import.meta.url));

export interface UnpackedFiles {
  /** the same files, lines of JSON in place of Parquet */
  readonly files: readonly string[];
  /** removes what was written */
  remove(): void;
}

/** How much the rows of a file may be as JSON: so many times its bytes, or so many bytes if that is more. */
export interface UnpackLimits {
  readonly times: number;
  readonly least: number;
}

/** rows of equal texts take 200 times their file; a gigabyte fits into memory and disks */
const unpackLimits: UnpackLimits = { times: 1000, least: 2 ** 30 };

/** Errors: `data` for a file that cannot be read as Parquet, or that is larger than the limits; `interrupted`, `cannot-create`, `io`. */
export function unpacked(files: readonly string[], limits = unpackLimits): UnpackedFiles {
  if (!files.some(isParquet)) return { files, remove: () => undefined };
  const place = join(tmpdir(), 'emac-parquet-');
  const folder = whileWriting(place, () => mkdtempSync(place));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const written = files.map((file, number) => {
      if (!isParquet(file)) return file;
      const out = join(folder, `${number}.jsonl`);
      unpack(file, { out, limits });
      return out;
    });
    return { files: written, remove };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

interface To {
  readonly out: string;
  readonly limits: UnpackLimits;
}

function unpack(file: string, { out, limits: { times, least } }: To): void {
  const size = whileReading(file, () => statSync(file).size);
  const most = String(Math.ceil(Math.max(times * size, least)));
  const { status, signal, stderr } = spawnSync(process.execPath, [program, file, out, most], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  if (signal !== null) throw new EmacError('interrupted', `${file}: reading it was interrupted (${signal})`);
  const why = stderr.trim().split('\n').at(-1) ?? '';
  if (status === exitCodes.io)
    throw new EmacError(
      'io',
      `${file}: its rows cannot be written to ${out} (${why}); free some space, or name a folder with room in TMPDIR`,
    );
  if (status === exitCodes.data)
    throw new EmacError(
      'data',
      `${file}: ${why}, more than ${times} times the file; write it anew without values that repeat, or as JSONL`,
    );
  throw new EmacError('data', `${file}: cannot be read as Parquet (${why})`);
}

/** Whether a file begins as Parquet does. */
function isParquet(file: string): boolean {
  return whileReading(file, () => {
    refusePointer(file);
    const beginning = Buffer.alloc(4);
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, beginning, 0, 4, 0);
    } finally {
      closeSync(descriptor);
    }
    return beginning.toString('latin1') === 'PAR1';
  });
}
