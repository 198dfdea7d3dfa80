/**
 * MANIFEST.json of a folder: sizes and SHA-256 of its files, the caller's own fields, and a hash of itself. It is
 * canonical JSON, so a flipped bit, a repeated key or a manual edit is detected.
 */
import { EmacError, invariant, messageOf } from '@emac/core';
import { canonicalJson } from './canonical-json.ts';
import { sha256 } from './sha256.ts';

export const manifestName = 'MANIFEST.json';

export interface FileRecord {
  /** bytes */
  readonly size: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly v: 1;
  readonly files: Readonly<Record<string, FileRecord>>;
  /** hash of the manifest without this field */
  readonly sha256: string;
  readonly [field: string]: unknown;
}

/** The manifest of these files; `fields` may not use the names `v`, `files`, `sha256`. */
export function makeManifest(
  files: ReadonlyMap<string, Uint8Array>,
  fields: Readonly<Record<string, unknown>> = {},
): Manifest {
  for (const reserved of ['v', 'files', 'sha256'])
    invariant(!(reserved in fields), `makeManifest: the field ${reserved} is the manifest's own`);
  for (const name of files.keys())
    invariant(isFileName(name), `makeManifest: ${JSON.stringify(name)} is not a plain file name`);
  const records = [...files].map(([name, data]): [string, FileRecord] => [
    name,
    { size: data.byteLength, sha256: sha256(data) },
  ]);
  return sealed({ ...fields, v: 1, files: Object.fromEntries(records) });
}

/** The manifest of a folder without some of its files. */
export function withoutFiles({ sha256: _ofAll, ...body }: Manifest, names: readonly string[]): Manifest {
  const left = Object.entries(body.files).filter(([name]) => !names.includes(name));
  return sealed({ ...body, v: 1, files: Object.fromEntries(left) });
}

function sealed(body: Pick<Manifest, 'v' | 'files'>): Manifest {
  return { ...body, sha256: sha256(canonicalJson(body)) };
}

/** The text of MANIFEST.json. */
export function manifestText(manifest: Manifest): string {
  return `${canonicalJson(manifest, 2)}\n`;
}

/** Parses a manifest's text and checks it against its own hash; `data` if anything differs. */
export function parseManifest(text: string, path: string): Manifest {
  const manifest = parse(text, path);
  const { sha256: stated, ...body } = manifest;
  if (manifest.v !== 1 || !isRecords(manifest.files))
    throw new EmacError('data', `${path}: is not a manifest of version 1`);
  if (sha256(canonicalJson(body)) !== stated || manifestText(manifest) !== text)
    throw new EmacError('data', `${path}: does not match its own hash; it was damaged or edited`);
  return manifest;
}

function parse(text: string, path: string): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) throw new Error('it is not an object');
    return value as Manifest;
  } catch (thrown) {
    throw new EmacError('data', `${path}: is damaged: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function isRecords(files: unknown): boolean {
  if (typeof files !== 'object' || files === null) return false;
  return Object.entries(files).every(([name, record]) => {
    const { size, sha256: hash } = (record ?? {}) as Partial<FileRecord>;
    return isFileName(name) && typeof size === 'number' && typeof hash === 'string';
  });
}

function isFileName(name: string): boolean {
  return /^[^/\\\0]+$/.test(name) && name !== '.' && name !== '..' && name !== manifestName;
}
