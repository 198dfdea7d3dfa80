/**
 * A dataset in one of the forms of `data-forms.ts`, or in the published form: a JSON list of `{image, text_input, text_output}`, for preferences also `text_output_neg`. Optional fields: `task_type` and
 * `game_id`; `verbatim` if the texts are not a history and a command; `utilities` with each action's usefulness from 0 to 10; a robot's `action`, which is
 * encoded in the tokens of the trained model. `image` may be absent for a policy that sees none. Opening the file checks every record, `requirePictures` the
 * existence of their pictures, which are decoded on request. In memory stay a mark for every 64 KiB of a file, and 4 bytes of a record only where some are
 * skipped, or belong to episodes. A record of another form has the same fields, and what was said in it beside them.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmacError } from '@emac/core';
import { sha256, whileReading, type ByteRange } from '@emac/files';
import { z } from 'zod';
import { filesNamed } from './data-files.ts';
import { contentText, isPublished, saidRecord, saidText, type Said, type SaidRecord } from './data-forms.ts';
import { growingNumbers, type Numbers } from './growing-numbers.ts';
import { recordsAt, scanRecords, type Records } from './offline-records.ts';
import { pictureReader, realFolder, withoutPicture, type SeenPicture } from './offline-pictures.ts';
import { unpacked } from './parquet-file.ts';
import { partsOf, recordPictures, type PictureSource } from './record-pictures.ts';

export const recordSchema = z.object({
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

/** A record in the published form. */
export type PublishedRecord = z.infer<typeof recordSchema>;

export interface DatasetRecord extends PublishedRecord {
  /** in their order; `image` is the file of a single one */
  readonly pictures: readonly PictureSource[];
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
  /** number of used records in the published form, with text_input */
  readonly published: number;
  /** of the file, hex; of several the hash of their hashes */
  readonly sha256: string;
  /** the records that begin an episode: of another game, or with a text that does not go on from the record before; null: each */
  readonly begins: ArrayLike<number> | null;
  /** ids of its games, sorted */
  readonly games: readonly string[];
  record(index: number): DatasetRecord;
  /** a record's index in the file, used in messages */
  number(index: number): number;
  /** For policies that see pictures. Errors: `missing`, `data` naming the first record whose picture is none below the folder, or that has none where each needs one. */
  requirePictures(isNeeded: boolean): void;
  /** A record's pictures, none for one of texts alone. Errors: `missing`, `data` for a file that is none below the folder. */
  pictures(index: number): readonly SeenPicture[];
  close(): void;
}

export interface DatasetOptions {
  /** the flag that named the file, for messages */
  readonly flag: string;
  /** folder of the pictures; null: the JSON file's */
  readonly images: string | null;
  /** requires pairs, or with `labels` records that have one; those of equal outputs are dropped or kept */
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
export function openDataset(path: string, { flag, images, ...asked }: DatasetOptions): Dataset {
  const named = filesNamed(path, flag);
  const root = realFolder(images ?? dirname(named[0]!), images === null ? flag : '--images');
  const { files: names, remove } = unpacked(named);
  try {
    return openedFiles(path, { named, names, root, remove, asked });
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

interface NamedFiles {
  readonly asked: Pick<DatasetOptions, 'pairs' | 'labels'>;
  /** as they are called in messages */
  readonly named: readonly string[];
  /** as they are read */
  readonly names: readonly string[];
  /** folder of the pictures */
  readonly root: string;
  remove(): void;
}

function openedFiles(path: string, { named, names, root, remove, asked }: NamedFiles): Dataset {
  const { pairs, labels } = asked;
  const reader = pictureReader({ path, root });
  const { scans, left, episodes, games, badOnes, published, hash } = scanned(names, {
    named,
    pairs: pairs ?? null,
    labels: labels === true,
  });
  const count = scans.reduce((sum, scan) => sum + scan.count, 0);
  const length = count - left.length;
  if (length === 0) throw nothingIn(path, { equalPairs: count - badOnes, badOnes });
  const files = names.map((name) => whileReading(name, () => openSync(name, 'r')));
  // open files stay readable without their names, so that a killed process leaves no copy
  if (process.platform !== 'win32') remove();
  const reading = files.map((file, place) => recordsAt(readerOf(file, names[place]!), scans[place]!.marks));
  const number = numberAmong(left.values());
  const readAt = (index: number) => {
    let [file, within] = [0, number(index)];
    while (within >= scans[file]!.count) within -= scans[file++]!.count;
    return checkedRecord(reading[file]!(within), { place: path, pairs: pairs !== undefined });
  };
  return {
    path,
    length,
    equalPairs: left.length - badOnes,
    badOnes,
    published,
    sha256: hash,
    begins: episodes.begins(length),
    games: [...games].sort(),
    record: readAt,
    number,
    requirePictures(isNeeded) {
      for (let index = 0; index < length; index++) {
        const { pictures } = readAt(index);
        if (isNeeded && pictures.length === 0) throw withoutPicture(path, number(index));
        for (const source of pictures) reader.require(source, number(index));
      }
    },
    pictures: (index) => readAt(index).pictures.map((source) => reader.picture(source, number(index))),
    close: () => {
      files.forEach((file) => closeSync(file));
      remove();
    },
  };
}

interface Scanning {
  /** the files' names in messages */
  readonly named: readonly string[];
  readonly pairs: 'drop-equal' | 'keep-equal' | null;
  /** whether bad completions are read too */
  readonly labels: boolean;
}

/** Reads every record of some files once: the marks in each file, and the numbers of records that are not used. */
function scanned(names: readonly string[], { named, pairs, labels }: Scanning) {
  const games = new Set<string>();
  const [left, episodes] = [growingNumbers(), episodeBegins()];
  let count = 0;
  let badOnes = 0;
  let published = 0;
  let labelled: boolean | null = null;
  const isUsed = (found: unknown, place: string): boolean => {
    const record = checkedRecord(found, { place, pairs: pairs !== null });
    const isLabelled = labels && record.said?.label != null;
    if (pairs && record.text_output_neg === undefined && !isLabelled) throw lacking(place, record);
    if (pairs && isLabelled !== (labelled ??= isLabelled)) throw mixed(place);
    if (record.said?.label === false && !labels) {
      badOnes++;
      return false;
    }
    if (record.game_id !== undefined) games.add(record.game_id);
    if (pairs === 'drop-equal' && isEqual(record)) return false;
    if (!record.said) published++;
    episodes.add(record);
    return true;
  };
  const scans = names.map((name, file): Records => {
    return scanRecords(name, (found, index) => {
      if (!isUsed(found, `${named[file]}: record ${index}`)) left.push(count);
      count++;
    });
  });
  const hashes = scans.map((scan) => scan.sha256);
  const hash = hashes.length === 1 ? hashes[0]! : sha256(hashes.join('\n'));
  return { scans, left, episodes, games, badOnes, published, hash };
}

/** Notes which records begin an episode, from the first on that does not. */
function episodeBegins() {
  const going = growingNumbers();
  let before: DatasetRecord | null = null;
  let count = 0;
  return {
    add(record: DatasetRecord): void {
      if (before && !record.said && goesOn(before, record)) going.push(count);
      before = record;
      count++;
    },
    /** null: each does */
    begins: (length: number) => (going.length === 0 ? null : othersThan(going.values(), length)),
  };
}

function othersThan(some: Numbers, length: number): Numbers {
  const others = new Uint32Array(length - some.length);
  for (let number = 0, place = 0, next = 0; number < length; number++)
    if (some[next] === number) next++;
    else others[place++] = number;
  return others;
}

/** The number of the record at an index among those that are not left out; `left` is sorted. */
function numberAmong(left: Numbers): (index: number) => number {
  return (index) => {
    // as many are left out before it as there are places where number - place is at most the index
    let [low, high] = [0, left.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (left[middle]! - middle <= index) low = middle + 1;
      else high = middle;
    }
    return index + low;
  };
}

function mixed(place: string): EmacError {
  return new EmacError(
    'data',
    `${place}: pairs and completions with a label stand in one dataset; give two, one after the other`,
  );
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

/** A dataset without some of its records, by index. Errors: `data` if none is left. */
export function withoutRecords(dataset: Dataset, left: ReadonlySet<number>): Dataset {
  const length = dataset.length - left.size;
  if (length === 0)
    throw new EmacError(
      'data',
      `${dataset.path}: every record is too long for the model, or a pair that is cut to equal sides; shorten some`,
    );
  const at = numberAmong(Uint32Array.from(left).sort());
  return {
    ...dataset,
    length,
    begins: dataset.begins && beginsAmong(dataset.begins, { length, at }),
    record: (index) => dataset.record(at(index)),
    number: (index) => dataset.number(at(index)),
    pictures: (index) => dataset.pictures(at(index)),
  };
}

/** Those that begin an episode of which records are missing: the first left one does. */
function beginsAmong(
  begins: ArrayLike<number>,
  { length, at }: { readonly length: number; readonly at: (index: number) => number },
): Numbers {
  const kept = growingNumbers();
  let next = 0;
  for (let index = 0; index < length; index++) {
    const before = next;
    while (next < begins.length && begins[next]! <= at(index)) next++;
    if (next > before) kept.push(index);
  }
  return kept.values();
}

function readerOf(file: number, path: string) {
  return {
    path,
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
  const said = isPublished(fields) ? null : saidRecord(fields, { place, pairs });
  const pictures = recordPictures(fields, said ? [said.before, said.after] : [], place);
  if (said) requirePlaces(said, pictures.length, place);
  const record = {
    ...(said ? otherwiseSaid(fields, said) : fields),
    image: pictures.length === 1 ? pictures[0]!.file : null,
  };
  const parsed = recordSchema.safeParse(record);
  if (parsed.success) {
    const isSeen = pictures.length > 0 && (fields['image'] ?? null) === null;
    return { ...parsed.data, pictures, ...(said && { said: isSeen ? { ...said, isSeen } : said }) };
  }
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new EmacError(
    'data',
    `${place}: ${field}: ${issue?.message}; a record needs the texts text_input and text_output, and image for a policy that sees`,
  );
}

/** Errors: `data` for messages with places for other pictures than those that are given. */
function requirePlaces({ before, after, worse }: SaidRecord, pictures: number, place: string): void {
  const places = partsOf(before).length + partsOf(after).length;
  if (places > 0 && places !== pictures)
    throw new EmacError(
      'data',
      `${place}: the messages must have a place {"type": "image"} for each picture, got ${places} for ${pictures}`,
    );
  if (worse !== null && partsOf(worse).length > 0)
    throw new EmacError(
      'data',
      `${place}: rejected: must hold no picture; name the pictures in the prompt, which both answers follow`,
    );
}

/** The fields of the published form for a record of another, for messages and comparisons. */
function otherwiseSaid(fields: Readonly<Record<string, unknown>>, said: SaidRecord) {
  const { task_type, game_id } = fields;
  const { before, after, worse } = said;
  return {
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
  return new EmacError(
    'data',
    `${place}: ${fields} missing, learning from pairs needs ${said ? 'them' : 'it'}`,
  );
}
