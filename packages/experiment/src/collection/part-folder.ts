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
  const at = (name: string) => join(path, name);
  const [replies, state, images] = [at('llm.jsonl'), at('collect.json'), at('images')];
  const settings = `${canonicalJson(collectionSettings(config))}\n`;
  const holdsReplies = isThere(replies) && whileReading(replies, () => statSync(replies).size > 0);
  if (holdsReplies)
    requireSame(path, { before: settingsIn(state) ?? settingsOf(at('collection.json')), settings });
  discard(holdsReplies ? images : path);
  createFolder(images);
  if (config.expert.kind === 'openai') writeFileAtomic(state, settings);
  return {
    path,
    replies,
    holdsReplies,
    keepPicture: (name, png) => whileWriting(name, () => writeFileSync(join(path, name), png)),
    whole: () => discard(state),
  };
}

function settingsIn(state: string): string | null {
  return isThere(state) ? whileReading(state, () => readFileSync(state, 'utf8')) : null;
}

/** Of a collection that was whole and has not got its name, where only its facts are left. */
function settingsOf(facts: string): string | null {
  if (!isThere(facts)) return null;
  const { settings } = JSON.parse(whileReading(facts, () => readFileSync(facts, 'utf8'))) as {
    readonly settings: object;
  };
  return `${canonicalJson(settings)}\n`;
}

interface Settings {
  readonly before: string | null;
  readonly settings: string;
}

function requireSame(path: string, { before, settings }: Settings): void {
  if (before === settings) return;
  throw new EmacError(
    'usage',
    `${path}: holds a language model's replies for other settings, from a collection that was stopped; give those, another --out, or remove it`,
  );
}
