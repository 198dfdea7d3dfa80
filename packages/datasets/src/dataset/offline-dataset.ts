/**
 * A dataset in one of the forms of `data-forms.ts`, or in the published form: a JSON list of `{image, text_input, text_output}`, for preferences also `text_output_neg`. Optional fields: `task_type` and
 * `game_id`; `verbatim` if the texts are not a history and a command; `utilities` with each action's usefulness from 0 to 10; a robot's `action`, which is
 * encoded in the tokens of the trained model. `image` may be absent for a policy that sees none. Opening the file checks every record, `requirePictures` the
 * existence of their pictures, which are decoded on request. Of a record only its offset and the name of its picture stay in memory. A record of
 * another form has the same fields, and what was said in it beside them.
 */
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { EmacError, type Frame } from '@emac/core';
import { isFile, isThere, readBytes, refusePointer, sha256, whileReading, type ByteRange } from '@emac/files';
import { decodeImage } from '@emac/images';
import { z } from 'zod';
import { filesNamed } from './data-files.ts';
import { contentText, isPublished, saidRecord, saidText, type Said, type SaidRecord } from './data-forms.ts';
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

export interface DatasetRecord extends z.infer<typeof recordSchema> {
  /** what was said in a record of another form than the published one */
  readonly said?: SaidRecord;
}

export interface Dataset {
  readonly path: string;
  /** number of used records */
  readonly length: number;
  /** number of skipped records with equal outputs */
  readonly equalPairs: number;
  /** number of skipped records whose completion is labelled as a bad one */
  readonly badOnes: number;
  /** of the file, hex; of several the hash of their hashes */
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
  /** requires pairs; those of equal outputs are dropped or kept */
  readonly pairs?: 'drop-equal' | 'keep-equal';
  /** true: bad completions are read too; by default they are skipped */
  readonly labels?: boolean;
}

/** True if a record is a later step of the episode: its text begins with the history before, up to the prompt's end. */
function goesOn(before: DatasetRecord, { text_input: text, game_id: game }: DatasetRecord): boolean {
  const history = before.text_input.replace(/[\s>]+$/, '');
  return game === before.game_id && text.length > before.text_input.length && text.startsWith(history);
}

function isEqual({ said, text_output, text_output_neg }: DatasetRecord): boolean {
  if (said) return JSON.stringify(said.after) === JSON.stringify(said.worse);
  return text_output === text_output_neg;
}

/** Opens and checks. Errors: `missing`, `io`, `data` naming file, record and field. */
export function openDataset(path: string, { flag, images, pairs, labels }: DatasetOptions): Dataset {
  const names = filesNamed(path, flag);
  const root = realFolder(images ?? dirname(names[0]!), images === null ? flag : '--images');
  const pictures = pictureNames(path, root);
  const { places, used, begins, games, badOnes, hash } = scanned(names, {
    pairs: pairs ?? null,
    labels: labels === true,
    picture: pictures.add,
  });
  if (used.length === 0) throw nothingIn(path, { equalPairs: places.length - badOnes, badOnes });
  const files = names.map((name) => whileReading(name, () => openSync(name, 'r')));
  const readAt = (index: number) => {
    const { file, ...place } = places[used[index]!]!;
    const found = readRecord(readerOf(files[file]!, names[file]!), place, used[index]!);
    return checkedRecord(found, { place: path, pairs: pairs !== undefined });
  };
  const hashes = new Map<string, string>();
  return {
    path,
    length: used.length,
    equalPairs: places.length - used.length - badOnes,
    badOnes,
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
    close: () => files.forEach((file) => closeSync(file)),
  };
}

interface Scanning {
  readonly pairs: 'drop-equal' | 'keep-equal' | null;
  /** whether bad completions are read too */
  readonly labels: boolean;
  /** is told each record's picture */
  picture(image: string | undefined, index: number): void;
}

/** Reads every record of some files once: the places of all, and the indices of those that are used. */
function scanned(names: readonly string[], { pairs, labels, picture }: Scanning) {
  const games = new Set<string>();
  const [used, begins, places] = [[] as number[], [] as number[], [] as Place[]];
  let before: DatasetRecord | null = null;
  let badOnes = 0;
  const use = (found: unknown, place: string): void => {
    const index = places.length;
    const record = checkedRecord(found, { place, pairs: pairs !== null });
    picture(record.image, index);
    if (pairs && record.text_output_neg === undefined) throw lacking(place, record);
    if (record.said?.label === false && !labels) {
      badOnes++;
      return;
    }
    if (record.game_id !== undefined) games.add(record.game_id);
    if (pairs === 'drop-equal' && isEqual(record)) return;
    if (!before || record.said || !goesOn(before, record)) begins.push(used.length);
    before = record;
    used.push(index);
  };
  const hashes = names.map((name, file) => {
    const { sha256: hash } = scanRecords(name, (found, number, place) => {
      use(found, `${name}: record ${number}`);
      places.push({ ...place, file });
    });
    return hash;
  });
  const hash = hashes.length === 1 ? hashes[0]! : sha256(hashes.join('\n'));
  return { places, used, begins, games, badOnes, hash };
}

interface Place extends ByteRange {
  /** index of the file */
  readonly file: number;
}

function nothingIn(
  path: string,
  { equalPairs, badOnes }: Pick<Dataset, 'equalPairs' | 'badOnes'>,
): EmacError {
  if (badOnes > 0)
    return new EmacError(
      'data',
      `${path}: all its ${badOnes} completions are labelled as bad ones (label: false), which this method does not learn from`,
    );
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

function checkedRecord(
  found: unknown,
  { place, pairs }: { readonly place: string; readonly pairs: boolean },
): DatasetRecord {
  const fields = found as Readonly<Record<string, unknown>>;
  const record = isPublished(fields) ? fields : otherwiseSaid(fields, saidRecord(fields, { place, pairs }));
  const parsed = recordSchema.safeParse(record);
  if (parsed.success)
    return 'said' in record ? { ...parsed.data, said: record['said'] as SaidRecord } : parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new EmacError(
    'data',
    `${place}: ${field}: ${issue?.message}; a record needs the texts text_input and text_output, and image for a policy that sees`,
  );
}

/** The fields of the published form for a record of another, for messages and comparisons. */
function otherwiseSaid(fields: Readonly<Record<string, unknown>>, said: SaidRecord) {
  const { image, task_type, game_id } = fields;
  const { before, after, worse } = said;
  return {
    image,
    task_type: task_type ?? undefined,
    game_id: game_id ?? undefined,
    text_input: saidText(before),
    text_output: answerText(after),
    ...(worse !== null && { text_output_neg: answerText(worse) }),
    verbatim: true,
    said,
  };
}

/** The last answer, or for messages that end otherwise all of them; never empty. */
function answerText(said: Said): string {
  const last = typeof said === 'string' ? null : said.at(-1);
  const text = last?.role === 'assistant' ? contentText(last) : saidText(said);
  return text.trim() === '' ? JSON.stringify(said) : text;
}

function lacking(place: string, { said }: DatasetRecord): EmacError {
  const fields = said ? 'chosen and rejected: are' : 'text_output_neg: is';
  return new EmacError('data', `${place}: ${fields} missing, --phase dpo needs ${said ? 'them' : 'it'}`);
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
