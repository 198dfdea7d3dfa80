/**
 * The dataset of games during its collection: records are appended to `train.json.part`, and the collection's progress has the file's length after every
 * game. An interrupted or killed collection is truncated to that and resumes; `train.json` appears when complete.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import type { ReplyPosition } from '@emac/expert';
import { isThere, openAppendFile, sha256, whileWriting, writeFileAtomic } from '@emac/files';
import { noReplies } from '@emac/opening';
import { z } from 'zod';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import type { PartFolder } from './part-folder.ts';
import { inForm, type RecordForm } from './record-form.ts';

export interface CollectionFile {
  /** task ids of the stored episodes, in order */
  readonly episodes: readonly string[];
  readonly records: number;
  /** Stores a picture once; returns its path in records. */
  image(png: Uint8Array): string;
  /** how much of the language model's journal they have used */
  readonly replies: ReplyPosition;
  /** Adds an episode's records, and the journal position after it. */
  episode(taskId: string, records: readonly PublishedRecord[], replies: ReplyPosition): void;
  /** Completes and closes the file. */
  finish(): void;
  /** Closes it unchanged, to resume later or not. */
  close(): void;
}

const progressSchema = z.object({
  episodes: z.array(z.string()),
  records: z.number().int(),
  replies: z.object({
    replies: z.number().int(),
    tokens: z.number().int(),
    unused: z.array(z.number().int()).exactOptional(),
  }),
  file: z.object({ length: z.number().int(), sha256: z.string() }),
});

/** Starts a dataset, or resumes it. Errors: `io`, `data`. */
export function openCollection(part: PartFolder, form: RecordForm): CollectionFile {
  const [dataset, growing] = ['train.json', 'train.json.part'].map((name) => join(part.path, name)) as [
    string,
    string,
  ];
  const before = progressOf(part);
  let { episodes, records, replies } = before;
  // complete, but stopped before its folder was renamed
  if (isThere(dataset)) whileWriting(dataset, () => renameSync(dataset, growing));
  let isOpen = true;
  const file = openAppendFile(growing, before.file);
  const write = (text: string) => file.append(new TextEncoder().encode(text));
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
    replies,
    image(png) {
      const name = `images/${sha256(png)}.png`;
      if (!isThere(join(part.path, name))) writeFileAtomic(join(part.path, name), png);
      return name;
    },
    episode(taskId, added, used) {
      for (const record of added)
        write(`${records++ === 0 ? '[\n' : ',\n'}${JSON.stringify(inForm(record, form))}`);
      episodes = [...episodes, taskId];
      replies = used;
      file.sync();
      const { length } = file;
      part.keepProgress({ episodes, records, replies, file: { length, sha256: file.sha256() } });
    },
    finish() {
      write(records === 0 ? '[]\n' : '\n]\n');
      file.sync();
      close();
      whileWriting(dataset, () => renameSync(growing, dataset));
    },
  };
}

function progressOf({ path, progress }: PartFolder) {
  if (progress === null) return { episodes: [], records: 0, replies: noReplies, file: { length: 0 } };
  const parsed = progressSchema.safeParse(progress);
  if (parsed.success) return parsed.data;
  throw new EmacError('data', `${path}/collect.json: is damaged; remove its folder and collect again`);
}
