/** A tiny model's tokenizer, learned from texts, as the file that its training and its folder hold. */
import { join } from 'node:path';
import { createFolder, writeFileAtomic } from '@emac/files';
import { trainTokenizer, type TokenizerOptions } from '../emma-tiny/tokenizer.ts';

/** Writes tokenizer.json into a folder, which is made. */
export function writeTokenizer(folder: string, texts: Iterable<string>, options: TokenizerOptions): void {
  createFolder(folder);
  const content = JSON.stringify(trainTokenizer(texts, options), null, 1) + '\n';
  writeFileAtomic(join(folder, 'tokenizer.json'), new TextEncoder().encode(content));
}
