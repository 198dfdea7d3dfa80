/**
 * Where a policy starts, for workers that do not see it: the files of a checkpoint, or of an adapter as PEFT writes it, each once in the
 * shared folder. Versions of the policy then change what learns in it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { canonicalJson, isFile, whileReading, whileWriting } from '@emac/files';
import type { SharedFolder } from '@emac/queue';
import { resolveCheckpoint } from '@emac/runs';
import { isModel, isOfOthers } from '../opening/projection-start.ts';
import { patiently, storedText } from './carried.ts';

interface SharedStart {
  readonly v: 1;
  /** whether it is one file, not a folder */
  readonly isFile: boolean;
  /** hashes by name */
  readonly files: Readonly<Record<string, string>>;
}

/** Puts a start where workers find it; null for none, and for a model, which they have. Errors: `missing`, `data`, `io`; those of the folder. */
export function shareStart(folder: SharedFolder, from: string | null): string | null {
  if (from === null || isModel(from)) return null;
  const place = isOfOthers(from) ? from : resolveCheckpoint(from).folder;
  const isOne = isFile(place);
  const names = isOne ? [basename(place)] : whileReading(place, () => namesIn(place));
  const files = names.map((name) => {
    const path = isOne ? place : join(place, name);
    return [name, folder.put(whileReading(path, () => readFileSync(path)))] as const;
  });
  const start: SharedStart = { v: 1, isFile: isOne, files: Object.fromEntries(files) };
  return folder.put(Buffer.from(canonicalJson(start)));
}

function namesIn(place: string): string[] {
  const entries = readdirSync(place, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** What `open` makes of a start, which lies in a folder of its own as long as that takes. Errors: `missing`, `data`, `io`; those of `open`. */
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
      const bytes = await patiently(() => folder.get(content));
      const path = join(place, basename(name));
      whileWriting(path, () => writeFileSync(path, bytes));
    }
    return await open(isOne ? join(place, basename(Object.keys(files)[0]!)) : place);
  } finally {
    rmSync(place, { recursive: true });
  }
}
