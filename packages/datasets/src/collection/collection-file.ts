/**
 * A dataset during its collection: records are appended to `train.json.part`, and after every episode `collect.json`
 * stores their number and the file's length. An interrupted or killed collection is truncated to that and resumes;
 * `train.json` appears when complete.
 */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import type { ReplyPosition } from '@emac/expert';
import {
  canonicalJson,
  createFolder,
  isThere,
  openAppendFile,
  sha256,
  syncFolder,
  whileReading,
  whileWriting,
  writeFileAtomic,
  type FilePart,
} from '@emac/files';
import { noReplies } from '@emac/opening';
import { z } from 'zod';

export interface CollectionFile {
  /** task ids of the stored episodes, in order */
  readonly episodes: readonly string[];
  readonly records: number;
  /** Stores a picture once; returns its path in records. */
  image(png: Uint8Array): string;
  /** how much of the language model's journal they have used */
  readonly replies: ReplyPosition;
  /** Adds an episode's records, and the journal position after it. */
  episode(taskId: string, records: readonly object[], replies: ReplyPosition): void;
  /** Completes the file; returns the dataset's path. */
  finish(): string;
  /** Closes it unchanged, to resume later or not. */
  close(): void;
}

const names = { dataset: 'train.json', part: 'train.json.part', state: 'collect.json', images: 'images' };

const stateSchema = z.object({
  settings: z.unknown(),
  episodes: z.array(z.string()),
  records: z.number().int(),
  replies: z.object({
    replies: z.number().int(),
    tokens: z.number().int(),
    unused: z.array(z.number().int()).exactOptional(),
  }),
  file: z.object({ length: z.number().int(), sha256: z.string() }),
});

/**
 * Starts a collection in a folder, or resumes one with the same settings. Errors: `cannot-create` if a dataset exists,
 * `usage` if an interrupted collection has other settings, `io`, `data`.
 */
export function openCollection(folder: string, settings: object): CollectionFile {
  const at = (name: string) => join(folder, name);
  if (isThere(at(names.dataset)))
    throw new EmacError('cannot-create', `--out ${folder}: holds a dataset already; give another folder`);
  createFolder(folder);
  createFolder(at(names.images));
  const before = readState(at(names.state), settings);
  let { episodes, records, replies } = before;
  let isOpen = true;
  const file = openAppendFile(at(names.part), before.file);
  const write = (text: string) => file.append(new TextEncoder().encode(text));
  const keep = () => {
    file.sync();
    const part = { length: file.length, sha256: file.sha256() };
    writeFileAtomic(
      at(names.state),
      `${canonicalJson({ settings, episodes, records, replies, file: part })}\n`,
    );
  };
  const close = (): void => {
    if (isOpen) file.close();
    isOpen = false;
  };
  return {
    close,
    get episodes() {
      return episodes;
    },
    get records() {
      return records;
    },
    replies: before.replies,
    image(png) {
      const name = `${names.images}/${sha256(png)}.png`;
      if (!isThere(at(name))) writeFileAtomic(at(name), png);
      return name;
    },
    episode(taskId, added, used) {
      for (const record of added) write(`${records++ === 0 ? '[\n' : ',\n'}${JSON.stringify(record)}`);
      episodes = [...episodes, taskId];
      replies = used;
      keep();
    },
    finish() {
      write(records === 0 ? '[]\n' : '\n]\n');
      file.sync();
      close();
      whileWriting(at(names.dataset), () => {
        renameSync(at(names.part), at(names.dataset));
        syncFolder(folder);
        rmSync(at(names.state), { force: true });
      });
      return at(names.dataset);
    },
  };
}

interface Stored extends Pick<CollectionFile, 'episodes' | 'records' | 'replies'> {
  readonly file: FilePart;
}

function readState(path: string, settings: object): Stored {
  if (!isThere(path)) return { episodes: [], records: 0, replies: noReplies, file: { length: 0 } };
  const parsed = stateSchema.safeParse(jsonOf(whileReading(path, () => readFileSync(path, 'utf8'))));
  if (!parsed.success)
    throw new EmacError('data', `${path}: is damaged; remove its folder and collect again`);
  if (canonicalJson(parsed.data.settings) !== canonicalJson(settings))
    throw new EmacError(
      'usage',
      `${path}: a stopped collection with other settings is here; give its settings, or another --out`,
    );
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
