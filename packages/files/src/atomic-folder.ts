/**
 * Creates a folder atomically: files are written and synced in a temporary folder beside it, the manifest last; then
 * the folder is renamed and its parent synced. A kill leaves at most a `.tmp-*` folder.
 */
import { dirname, join, mkdirSync, readFileSync, readdirSync, renameSync, statSync } from '@emac/platform';
import { EmacError } from '@emac/core';
import { failpoint } from './failpoint.ts';
import { isThere } from './place.ts';
import { whileReading, whileWriting } from './io-error.ts';
import { makeManifest, manifestName, manifestText, parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { sha256 } from './sha256.ts';
import { discard, syncFolder, temporaryBeside, writeSynced } from './write-file.ts';

/**
 * Creates the folder `path` with these files and a MANIFEST.json (sizes, SHA-256, the caller's `fields`). Errors:
 * `cannot-create` if it exists or cannot be created, `io` (disk full …); both name the path.
 */
export function writeFolderAtomic(
  path: string,
  files: ReadonlyMap<string, Uint8Array>,
  fields?: Readonly<Record<string, unknown>>,
): Manifest {
  const manifest = makeManifest(files, fields);
  const temporary = temporaryBeside(path);
  whileWriting(path, () => {
    if (isThere(path)) throw new EmacError('cannot-create', `${path}: already exists; choose another name`);
    try {
      mkdirSync(temporary);
      failpoint('folder-made');
      for (const [name, data] of files) {
        writeSynced(join(temporary, name), data);
        failpoint('folder-file-written');
      }
      writeSynced(join(temporary, manifestName), new TextEncoder().encode(manifestText(manifest)));
      failpoint('folder-manifest-written');
      syncFolder(temporary);
      renameSync(temporary, path);
    } catch (thrown) {
      discard(temporary);
      throw thrown;
    }
    failpoint('folder-renamed');
    syncFolder(dirname(path));
  });
  return manifest;
}

/**
 * Checks every file of a folder against its manifest and returns the manifest. Errors: `missing` if there is no folder,
 * `data` naming the absent, truncated or changed file. Files outside the manifest are ignored.
 */
export function verifyFolder(path: string): Manifest {
  if (!whileReading(path, () => statSync(path)).isDirectory())
    throw new EmacError('missing', `${path}: is a file, a folder is needed`);
  const manifest = parseManifest(
    new TextDecoder().decode(part(path, manifestName)),
    join(path, manifestName),
  );
  for (const [name, record] of Object.entries(manifest.files)) {
    const data = part(path, name);
    if (data.byteLength !== record.size)
      throw damaged(join(path, name), `has ${data.byteLength} bytes, the manifest says ${record.size}`);
    if (sha256(data) !== record.sha256)
      throw damaged(join(path, name), 'does not match the SHA-256 in the manifest');
  }
  return manifest;
}

/** Removes `.tmp-*` files and folders of killed processes from `folder`. */
export function removeTemporary(folder: string): void {
  const names = whileReading(folder, () => readdirSync(folder));
  for (const name of names) if (name.startsWith('.tmp-')) discard(join(folder, name));
}

function part(folder: string, name: string): Uint8Array {
  const path = join(folder, name);
  if (!isThere(path)) throw damaged(path, 'does not exist; the folder is not complete');
  return whileReading(path, () => readFileSync(path));
}

function damaged(path: string, rule: string): EmacError {
  return new EmacError('data', `${path}: ${rule}; use an intact copy or an earlier one`);
}
