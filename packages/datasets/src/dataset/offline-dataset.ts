/**
 * A dataset in the published form: a JSON list of `{image, text_input, text_output}`, for preferences also `text_output_neg`. Optional fields: `task_type` and
 * `game_id`; `verbatim` if the texts are not a history and a command; `utilities` with each action's usefulness from 0 to 10; a robot's `action`, which is
 * encoded in the tokens of the trained model. `image` may be absent for a policy that sees none. Opening the file checks every record, `requirePictures` the
 * existence of their pictures, which are decoded on request. Of a record only its offset and the name of its picture stay in memory.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { EmacError, type Frame } from '@emac/core';
import {
  isFile,
  isFolder,
  isThere,
  readBytes,
  refusePointer,
  sha256,
  whileReading,
  type ByteRange,
} from '@emac/files';
import { decodeImage } from '@emac/images';
import { z } from 'zod';
import { readRecord, scanRecords } from './offline-records.ts';

const recordSchema = z.object({
  image: z
    .string()
    .min(1)
    .nullish()
    .transform((name) => name ?? undefined),
  text_input: z.string(),
  text_output: z.string().trim().min(1),
  text_output_neg: z.string().trim().min(1).optional(),
  task_type: z.string().optional(),
  game_id: z.string().optional(),
  verbatim: z.boolean().optional(),
  action: z.array(z.number()).min(1).optional(),
  utilities: z.record(z.string(), z.number().min(0).max(10)).optional(),
});

export type DatasetRecord = z.infer<typeof recordSchema>;

export interface Dataset {
  readonly path: string;
  /** number of used records */
  readonly length: number;
  /** number of skipped records with equal outputs */
  readonly equalPairs: number;
  /** of the JSON file, hex */
  readonly sha256: string;
  /** the records that begin an episode: of another game, or with a text that does not go on from the record before */
  readonly begins: readonly number[];
  /** ids of its games, sorted */
  readonly games: readonly string[];
  record(index: number): DatasetRecord;
  /** a record's index in the file, used in messages */
  number(index: number): number;
  /** Errors: `missing`, `data` naming the first record whose picture is none below the folder. For policies that see pictures. */
  requirePictures(): void;
  /** A record's picture: its content's hash, and a function that decodes it (`BadPicture` if impossible). */
  picture(index: number): { readonly hash: string; readonly frame: () => Promise<Frame> };
  close(): void;
}

export interface DatasetOptions {
  /** the flag that named the file, for messages */
  readonly flag: string;
  /** folder of the pictures; null: the JSON file's */
  readonly images: string | null;
  /** requires `text_output_neg`; pairs of equal outputs are dropped or kept */
  readonly pairs?: 'drop-equal' | 'keep-equal';
}

/** True if a record is a later step of the episode: its text begins with the history before, up to the prompt's end. */
function goesOn(before: DatasetRecord, { text_input: text, game_id: game }: DatasetRecord): boolean {
  const history = before.text_input.replace(/[\s>]+$/, '');
  return game === before.game_id && text.length > before.text_input.length && text.startsWith(history);
}

/** A dataset's file; of a folder its held-out records, if these are asked for and there, else those to learn from. */
export function datasetFile(path: string, isHeldOut = false): string {
  if (!isFolder(path)) return path;
  const held = join(path, 'val.json');
  return isHeldOut && isThere(held) ? held : join(path, 'train.json');
}

/** Opens and checks. Errors: `missing`, `io`, `data` naming file, record and field. */
export function openDataset(path: string, { flag, images, pairs }: DatasetOptions): Dataset {
  if (!isThere(path)) throw new EmacError('missing', `${flag} ${path}: does not exist`);
  const root = realFolder(images ?? dirname(path), images === null ? flag : '--images');
  const pictures = pictureNames(path, root);
  const games = new Set<string>();
  const used: number[] = [];
  const begins: number[] = [];
  let before: DatasetRecord | null = null;
  const { places, sha256: hash } = scanRecords(path, (found, index) => {
    const record = checkedRecord(found, `${path}: record ${index}`);
    pictures.add(record.image, index);
    if (pairs && record.text_output_neg === undefined) throw lacking(path, index, 'text_output_neg');
    if (record.game_id !== undefined) games.add(record.game_id);
    if (pairs === 'drop-equal' && record.text_output === record.text_output_neg) return;
    if (!before || !goesOn(before, record)) begins.push(used.length);
    before = record;
    used.push(index);
  });
  if (used.length === 0) throw nothingIn(path, places.length);
  const file = whileReading(path, () => openSync(path, 'r'));
  const readAt = (index: number) =>
    checkedRecord(readRecord(readerOf(file, path), places[used[index]!]!, used[index]!), path);
  const hashes = new Map<string, string>();
  return {
    path,
    length: used.length,
    equalPairs: places.length - used.length,
    sha256: hash,
    begins,
    games: [...games].sort(),
    record: readAt,
    number: (index) => used[index]!,
    requirePictures: pictures.requireAll,
    picture(index) {
      const { image } = readAt(index);
      if (image === undefined) throw withoutPicture(path, used[index]!);
      pictures.require(image, used[index]!);
      const place = { path, index: used[index]!, image };
      const bytes = () => bytesOf(join(root, image), place);
      const known = hashes.get(image) ?? sha256(bytes());
      hashes.set(image, known);
      return { hash: known, frame: () => frameOf(bytes(), place) };
    },
    close: () => closeSync(file),
  };
}

function nothingIn(path: string, equalPairs: number): EmacError {
  if (equalPairs === 0) return new EmacError('data', `${path}: has no records; give a list with one or more`);
  const pairs = equalPairs === 1 ? 'its only pair has' : `all its ${equalPairs} pairs have`;
  return new EmacError(
    'data',
    `${path}: ${pairs} equal outputs (text_output, text_output_neg), which teach no preference; give pairs that differ, or --agreed keep`,
  );
}

/** A dataset without some of its records. Errors: `data` if none is left. */
export function withoutRecords(dataset: Dataset, left: ReadonlySet<number>): Dataset {
  const kept = Array.from({ length: dataset.length }, (_, index) => index).filter(
    (index) => !left.has(index),
  );
  if (kept.length === 0)
    throw new EmacError('data', `${dataset.path}: every record is too long for the model; shorten some`);
  return {
    ...dataset,
    length: kept.length,
    record: (index) => dataset.record(kept[index]!),
    number: (index) => dataset.number(kept[index]!),
    picture: (index) => dataset.picture(kept[index]!),
  };
}

function readerOf(file: number, path: string) {
  return {
    path,
    size: Infinity,
    read({ offset, length }: ByteRange) {
      const bytes = new Uint8Array(length);
      const count = whileReading(path, () => readSync(file, bytes, 0, length, offset));
      if (count < length) throw new EmacError('data', `${path}: was truncated while in use`);
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
    `${place}: ${field}: ${issue?.message}; a record needs the texts text_input and text_output, and image for a policy that sees`,
  );
}

function lacking(path: string, index: number, field: string): EmacError {
  return new EmacError('data', `${path}: record ${index}: ${field}: is missing, --phase dpo needs it`);
}

function withoutPicture(path: string, index: number): EmacError {
  return new EmacError(
    'data',
    `${path}: record ${index}: image: is missing, a policy that sees pictures needs it; name a file, or use --observe text`,
  );
}

/** The distinct names of pictures. Each must be an existing file below the folder, also after links; it is looked for once. */
function pictureNames(path: string, root: string) {
  const firstUse = new Map<string | undefined, number>();
  const found = new Set<string>();
  const require = (image: string, index: number): void => {
    if (!found.has(image)) requirePicture(image, { path, index, root });
    found.add(image);
  };
  return {
    add(image: string | undefined, index: number): void {
      if (!firstUse.has(image)) firstUse.set(image, index);
    },
    require,
    requireAll(): void {
      for (const [image, index] of firstUse) {
        if (image === undefined) throw withoutPicture(path, index);
        require(image, index);
      }
    },
  };
}

function requirePicture(
  image: string,
  { path, index, root }: { readonly path: string; readonly index: number; readonly root: string },
): void {
  const fail = (code: 'data' | 'missing', rule: string) =>
    new EmacError(code, `${path}: record ${index}: image: ${JSON.stringify(image)} ${rule}`);
  const outside = () => fail('data', `must lie in ${root}; name the pictures' folder with --images`);
  if (isAbsolute(image) || isOutside(root, join(root, image))) throw outside();
  const named = join(root, image);
  if (!isThere(named))
    throw fail('missing', `does not exist in ${root}; name the pictures' folder with --images`);
  const place = whileReading(named, () => realpathSync.native(named));
  if (isOutside(root, place)) throw outside();
  if (!isFile(place)) throw fail('data', `must be a file; it is none in ${root}`);
  refusePointer(place);
}

function isOutside(root: string, place: string): boolean {
  const way = relative(root, place);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function realFolder(folder: string, flag: string): string {
  if (!isThere(folder)) throw new EmacError('missing', `${flag} ${folder}: does not exist`);
  return whileReading(folder, () => realpathSync.native(folder));
}

/** A picture that cannot be decoded: repair it, or skip its record. */
export class BadPicture extends EmacError {
  readonly record: number;
  readonly reason: string;

  constructor({ path, index, image }: PicturePlace, cause: EmacError) {
    const reason = `image ${image}: ${cause.message}`;
    super('data', `${path}: record ${index}: ${reason}`, { cause });
    this.record = index;
    this.reason = reason;
  }
}

interface PicturePlace {
  readonly path: string;
  /** the record's index in the file */
  readonly index: number;
  readonly image: string;
}

function bytesOf(file: string, { path, index, image }: PicturePlace): Uint8Array {
  try {
    return readBytes(file);
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    const message = `${path}: record ${index}: image ${image}: ${thrown.message}`;
    throw new EmacError(thrown.code, message, { cause: thrown });
  }
}

async function frameOf(bytes: Uint8Array, place: PicturePlace): Promise<Frame> {
  try {
    return await decodeImage(bytes);
  } catch (thrown) {
    throw thrown instanceof EmacError && thrown.code === 'data' ? new BadPicture(place, thrown) : thrown;
  }
}
