/** What a model that sees pictures observes where neither a person nor a checkpoint says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFile } from '@emac/files';
import type { Observe } from '@emac/prompt';
import { shippedModelFolder } from './shipped-models.ts';
import { usualEnvironment } from './usual-environment.ts';

/** The same in words, for tables of flags. */
export const usualObserveText = 'image for emma-tiny in ALFWorld, else both';

/**
 * The shipped model plays ALFWorld from texts untouched; from frames it has something to learn. Other environments have no
 * text to hide contents in.
 */
export function usualObserve({ folder, env }: { readonly folder: string; readonly env: string }): Observe {
  return env === usualEnvironment && hasWordsOfShipped(folder) ? 'image' : 'both';
}

/** True for the shipped model and for one made of it, such as an exported run: no other model has its words. */
function hasWordsOfShipped(folder: string): boolean {
  const [words, shipped] = [folder, shippedModelFolder('emma-tiny')!].map((each) =>
    join(each, 'tokenizer.json'),
  );
  return isFile(words!) && readFileSync(words!).equals(readFileSync(shipped!));
}
