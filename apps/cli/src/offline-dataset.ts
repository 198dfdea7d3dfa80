/**
 * A dataset in the published form: a JSON list of `{image, text_input, text_output}`, for preferences also
 * `text_output_neg`, with `task_type` and `game_id` where they are known. Everything is checked before anything is
 * learnt; of each record only its place in the file stays in memory.
 */
import { closeSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { EmacError, type Frame } from '@emac/core';
import { isThere, sha256, whileReading, type ByteRange } from '@emac/files';
import { decodeImage } from '@emac/images';
import { z } from 'zod';
import { readRecord, scanRecords } from './offline-records.ts';

const recordSchema = z.object({
  image: z.string().min(1),
  text_input: z.string(),
  text_output: z.string().trim().min(1),
  text_output_neg: z.string().trim().min(1).optional(),
  task_type: z.string().optional(),
  game_id: z.string().optional(),
});

export type DatasetRecord = z.infer<typeof recordSchema>;

export interface Dataset {
  readonly path: string;
  /** records that are used */
  readonly length: number;
  /** records left out because both outputs are the same */
  readonly equalPairs: number;
  /** of the JSON file, hex */
  readonly sha256: string;
  /** ids of the games that its records name, sorted */
  readonly games: readonly string[];
  record(index: number): DatasetRecord;
  /** The picture of a record: its content's hash, and the way to its pixels. */
  picture(index: number): { readonly hash: string; readonly frame: () => Promise<Frame> };
  close(): void;
}

export interface DatasetOptions {
  /** the flag that named the file, for messages */
  readonly flag: string;
  /** folder of the pictures; null for that of the JSON file */
  readonly images: string | null;
  /** `text_output_neg` is needed; pairs of equal outputs are left out or kept */
  readonly pairs?: 'drop-equal' | 'keep-equal';
}

/** Opens and checks. Errors: `missing`, `io`, `data` naming file, record and field. */
export function openDataset(path: string, { flag, images, pairs }: DatasetOptions): Dataset {
  if (!isThere(path)) throw new EmacError('missing', `${flag} ${path}: is not there`);
  const root = realFolder(images ?? dirname(path), images === null ? flag : '--images');
  const checkImage = imageCheck(path, root);
  const games = new Set<string>();
  const used: number[] = [];
  const { places, sha256: hash } = scanRecords(path, (found, index) => {
    const record = checkedRecord(found, `${path}: record ${index}`);
    checkImage(record.image, index);
    if (pairs && record.text_output_neg === undefined) throw lacking(path, index, 'text_output_neg');
    if (record.game_id !== undefined) games.add(record.game_id);
    if (pairs !== 'drop-equal' || record.text_output !== record.text_output_neg) used.push(index);
  });
  if (used.length === 0)
    throw new EmacError('data', `${path}: holds no record to learn from; give a list with some`);
  const file = whileReading(path, () => openSync(path, 'r'));
  const readAt = (index: number) =>
    checkedRecord(readRecord(readerOf(file, path), places[used[index]!]!, used[index]!), path);
  const hashes = new Map<string, string>();
  return {
    ...{ path, length: used.length, equalPairs: places.length - used.length, sha256: hash },
    games: [...games].sort(),
    record: readAt,
    picture(index) {
      const { image } = readAt(index);
      const place = join(root, image);
      const bytes = () => whileReading(place, () => readFileSync(place));
      const known = hashes.get(image) ?? sha256(bytes());
      hashes.set(image, known);
      return { hash: known, frame: () => frameOf(bytes(), { path, index: used[index]!, image }) };
    },
    close: () => closeSync(file),
  };
}

function readerOf(file: number, path: string) {
  return {
    ...{ path, size: Infinity },
    read({ offset, length }: ByteRange) {
      const bytes = new Uint8Array(length);
      const count = whileReading(path, () => readSync(file, bytes, 0, length, offset));
      if (count < length) throw new EmacError('data', `${path}: was cut short while it was in use`);
      return bytes;
    },
  };
}

function checkedRecord(found: unknown, place: string): DatasetRecord {
  const parsed = recordSchema.safeParse(found);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new EmacError(
    'data',
    `${place}: ${field}: ${issue?.message}; a record needs the texts image, text_input and text_output`,
  );
}

function lacking(path: string, index: number, field: string): EmacError {
  return new EmacError('data', `${path}: record ${index}: ${field}: is not there, --phase dpo needs it`);
}

/** A check that looks at each distinct path once: below the folder, also where links lead, and there. */
function imageCheck(path: string, root: string): (image: string, index: number) => void {
  const known = new Set<string>();
  return (image, index) => {
    if (known.has(image)) return;
    const fail = (code: 'data' | 'missing', rule: string) =>
      new EmacError(code, `${path}: record ${index}: image: ${JSON.stringify(image)} ${rule}`);
    const outside = () => fail('data', `must lie in ${root}; name the pictures' folder with --images`);
    if (isAbsolute(image) || isOutside(root, join(root, image))) throw outside();
    const named = join(root, image);
    if (!isThere(named))
      throw fail('missing', `is not there in ${root}; name the pictures' folder with --images`);
    const place = whileReading(named, () => realpathSync.native(named));
    if (isOutside(root, place)) throw outside();
    known.add(image);
  };
}

function isOutside(root: string, place: string): boolean {
  const way = relative(root, place);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function realFolder(folder: string, flag: string): string {
  if (!isThere(folder)) throw new EmacError('missing', `${flag} ${folder}: is not there`);
  return whileReading(folder, () => realpathSync.native(folder));
}

async function frameOf(
  bytes: Uint8Array,
  { path, index, image }: { readonly path: string; readonly index: number; readonly image: string },
): Promise<Frame> {
  try {
    return await decodeImage(bytes);
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    throw new EmacError('data', `${path}: record ${index}: image ${image}: ${thrown.message}`);
  }
}
