/**
 * The start of a policy for workers on other machines: the files of a checkpoint without optimizer moments, or of a
 * PEFT adapter, each stored once in the shared folder. Policy versions then replace the trainable parameters.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { adapterLayout } from '@emac/backbone';
import {
  canonicalJson,
  isFile,
  manifestName,
  manifestText,
  verifyFolder,
  whileReading,
  whileWriting,
  withoutFiles,
} from '@emac/files';
import { isModel, isOfOthers } from '@emac/opening';
import type { SharedFolder } from '@emac/queue';
import { checkpointFiles, resolveCheckpoint } from '@emac/runs';
import { patiently, storedText } from './carried.ts';

interface SharedStart {
  readonly v: 1;
  /** whether it is a file rather than a folder */
  readonly isFile: boolean;
  /** hashes by name */
  readonly files: Readonly<Record<string, string>>;
}

/** checkpoint files needed by the trainer only */
const ofTheTrainer: readonly string[] = [checkpointFiles.optimizer, checkpointFiles.temporalPredictor];

/**
 * Puts a start into the shared folder; null for none, and for a model, since workers have it. Errors: `missing`,
 * `data`, `io`; those of the folder.
 */
export function shareStart(folder: SharedFolder, from: string | null): string | null {
  if (from === null || isModel(from)) return null;
  const put = (bytes: Uint8Array): string => folder.put(bytes);
  const read = (path: string): Uint8Array => whileReading(path, () => readFileSync(path));
  const isOne = isFile(from);
  const files = isOne
    ? { [basename(from)]: put(read(from)) }
    : Object.fromEntries([...contentOf(from, read)].map(([name, bytes]) => [name, put(bytes)]));
  const start: SharedStart = { v: 1, isFile: isOne, files };
  return put(Buffer.from(canonicalJson(start)));
}

/** The files needed to open the policy from a folder. Errors: `missing`; `data` for a damaged checkpoint. */
function contentOf(from: string, read: (path: string) => Uint8Array): ReadonlyMap<string, Uint8Array> {
  if (isOfOthers(from)) {
    const names = Object.values(adapterLayout).filter((name) => isFile(join(from, name)));
    return new Map(names.map((name) => [name, read(join(from, name))]));
  }
  const { folder } = resolveCheckpoint(from);
  const manifest = withoutFiles(verifyFolder(folder), ofTheTrainer);
  return new Map([
    ...Object.keys(manifest.files).map((name) => [name, read(join(folder, name))] as const),
    [manifestName, Buffer.from(manifestText(manifest))],
  ]);
}

/**
 * Calls `open` on a start, in a temporary folder that exists during the call. Errors: `missing`, `data`, `io`; those of
 * `open`.
 */
export async function withStart<T>(
  folder: SharedFolder,
  hash: string | null,
  open: (from: string | null) => Promise<T>,
): Promise<T> {
  if (hash === null) return open(null);
  const { isFile: isOne, files } = JSON.parse(await storedText(folder, hash)) as SharedStart;
  const root = tmpdir();
  const place = whileWriting(root, () => mkdtempSync(join(root, 'emac-start-')));
  try {
    for (const [name, content] of Object.entries(files)) {
      const bytes = await patiently(folder, () => folder.get(content));
      const path = join(place, basename(name));
      whileWriting(path, () => writeFileSync(path, bytes));
    }
    return await open(isOne ? join(place, basename(Object.keys(files)[0]!)) : place);
  } finally {
    rmSync(place, { recursive: true });
  }
}
