/**
 * Writes samples as a folder for `emac sft --data`: `train.json`, a list of `{image, text_input, text_output}`, and its pictures. Texts are
 * `verbatim`; `task_type` is the dataset and `game_id` the episode. Equal pictures are stored once.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere, openAppendFile, sha256, syncFolder, whileWriting } from '@emac/files';
import { wholeFolder } from '../dataset/whole-folder.ts';
import { pictureFormat } from '../features/picture.ts';
import type { SftSample } from './samples.ts';

/**
 * Writes a folder that appears when complete, and returns the number of samples; `limit` bounds endless samples. Errors: `cannot-create`
 * if it exists, `io`; `data` without samples, for a picture that is neither PNG nor JPEG, and for an empty label.
 */
export function writeSftFolder(
  folder: string,
  samples: AsyncIterable<SftSample<string>>,
  { limit = Infinity }: { readonly limit?: number } = {},
): Promise<number> {
  return wholeFolder(folder, async (temporary) => {
    whileWriting(folder, () => mkdirSync(join(temporary, 'images')));
    const file = openAppendFile(join(temporary, 'train.json'), { length: 0 });
    const write = (text: string) => file.append(new TextEncoder().encode(text));
    let count = 0;
    try {
      for await (const sample of samples) {
        write(`${count++ === 0 ? '[' : ','}\n${JSON.stringify(recordOf(sample, temporary))}`);
        if (count >= limit) break;
      }
      if (count === 0) throw new EmacError('data', `${folder}: has no samples; give episodes with steps`);
      write('\n]\n');
      file.sync();
    } finally {
      file.close();
    }
    syncFolder(join(temporary, 'images'));
    return count;
  });
}

function recordOf(
  { image, text, output, dataset, episode, step }: SftSample<string>,
  folder: string,
): object {
  const place = `${dataset}: episode ${episode}, step ${step}`;
  const format = pictureFormat(image);
  if (format === null) throw new EmacError('data', `${place}: its picture must be a PNG or JPEG file`);
  if (output.trim() === '') throw new EmacError('data', `${place}: its label must not be empty`);
  const name = `images/${sha256(image)}.${format === 'jpeg' ? 'jpg' : format}`;
  const path = join(folder, name);
  if (!isThere(path)) whileWriting(path, () => writeFileSync(path, image, { flush: true }));
  return {
    image: name,
    text_input: text,
    text_output: output,
    task_type: dataset,
    game_id: `${dataset}/${episode}`,
    verbatim: true,
  };
}
