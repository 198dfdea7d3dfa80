/**
 * The folder of a collection until it is whole. Scripted play begins anew after an interruption; what a language model was asked is paid for, so
 * its replies stay, and play with the same settings goes on from them.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  canonicalJson,
  createFolder,
  discard,
  isThere,
  whileReading,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import {
  collectionSettings,
  type EnvironmentCollectionConfig,
} from '../config/environment-collection-config.ts';

export interface PartFolder {
  readonly path: string;
  /** where the replies of a language model are kept */
  readonly replies: string;
  /** some are there already */
  readonly holdsReplies: boolean;
  keepPicture(name: string, png: Uint8Array): void;
  /** no settings of play that goes on are needed any more */
  whole(): void;
}

/** Makes it, or goes on with it. Errors: `usage` where replies for other settings lie there, `cannot-create`, `io`. */
export function openPartFolder(config: EnvironmentCollectionConfig): PartFolder {
  const path = `${config.out.replace(/[/\\]+$/, '')}.part`;
  const [replies, state, images] = ['llm.jsonl', 'collect.json', 'images'].map((name) => join(path, name));
  const settings = `${canonicalJson(collectionSettings(config))}\n`;
  const holdsReplies = isThere(replies!) && whileReading(replies!, () => statSync(replies!).size > 0);
  if (holdsReplies) requireSame(path, { state: state!, settings });
  discard(holdsReplies ? images! : path);
  createFolder(images!);
  if (config.expert.kind === 'openai') writeFileAtomic(state!, settings);
  return {
    path,
    replies: replies!,
    holdsReplies,
    keepPicture: (name, png) => whileWriting(name, () => writeFileSync(join(path, name), png)),
    whole: () => discard(state!),
  };
}

function requireSame(
  path: string,
  { state, settings }: { readonly state: string; readonly settings: string },
): void {
  const before = isThere(state) ? whileReading(state, () => readFileSync(state, 'utf8')) : null;
  if (before === settings) return;
  throw new EmacError(
    'usage',
    `${path}: holds a language model's replies for other settings, from a collection that was stopped; give those, another --out, or remove it`,
  );
}
