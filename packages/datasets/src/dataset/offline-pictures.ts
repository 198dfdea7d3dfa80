/** Pictures of a dataset: files below a folder, looked for once and decoded on request. */
import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { EmacError, type Frame } from '@emac/core';
import { isFile, isThere, readBytes, refusePointer, sha256, whileReading } from '@emac/files';
import { decodeImage } from '@emac/images';
import type { PictureSource } from './record-pictures.ts';

export function withoutPicture(path: string, index: number): EmacError {
  return new EmacError(
    'data',
    `${path}: record ${index}: image: is missing, this policy reads no prompt without a picture; name a file, or use --observe text`,
  );
}

/** A picture on its way to a policy. */
export interface SeenPicture {
  /** of the file's bytes, SHA-256 */
  readonly hash: string;
  /** decodes it; `BadPicture` if impossible */
  readonly frame: () => Promise<Frame>;
}

/** Pictures of a dataset at `path`, whose files lie in `root`. */
export function pictureReader({ path, root }: { readonly path: string; readonly root: string }) {
  /** of files */
  const hashes = new Map<string, string>();
  return {
    /** Errors: `missing`, `data` naming a file that is none below the folder. */
    require({ file }: PictureSource, index: number): void {
      if (file !== null) requirePicture(file, { path, index, root });
    },
    /** Errors: as `require`. */
    picture({ field, file, base64 }: PictureSource, index: number): SeenPicture {
      if (file === null) {
        const bytes = Buffer.from(base64!, 'base64');
        return { hash: sha256(bytes), frame: () => frameOf(bytes, { path, index, name: field }) };
      }
      if (!hashes.has(file)) requirePicture(file, { path, index, root });
      const place = { path, index, name: `image ${file}` };
      const bytes = () => bytesOf(join(root, file), place);
      const hash = hashes.get(file) ?? sha256(bytes());
      hashes.set(file, hash);
      return { hash, frame: () => frameOf(bytes(), place) };
    },
  };
}

function requirePicture(
  image: string,
  { path, index, root }: { readonly path: string; readonly index: number; readonly root: string },
): void {
  const fail = (code: 'data' | 'missing', rule: string) =>
    new EmacError(code, `${path}: record ${index}: image: ${JSON.stringify(image)} ${rule}`);
  const outside = () => fail('data', `must lie in ${root}; name the pictures' folder with --images`);
  if (isAbsolute(image) || isOutside(root, join(root, image))) throw outside();
  const named = join(root, image);
  if (!isThere(named))
    throw fail('missing', `does not exist in ${root}; name the pictures' folder with --images`);
  const place = whileReading(named, () => realpathSync.native(named));
  if (isOutside(root, place)) throw outside();
  if (!isFile(place)) throw fail('data', `must be a file; it is none in ${root}`);
  refusePointer(place);
}

function isOutside(root: string, place: string): boolean {
  const way = relative(root, place);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

export function realFolder(folder: string, flag: string): string {
  if (!isThere(folder)) throw new EmacError('missing', `${flag} ${folder}: does not exist`);
  return whileReading(folder, () => realpathSync.native(folder));
}

/** A picture that cannot be decoded: repair it, or skip its record. */
export class BadPicture extends EmacError {
  readonly record: number;
  readonly reason: string;

  constructor({ path, index, name }: PicturePlace, cause: EmacError) {
    const reason = `${name}: ${cause.message}`;
    super('data', `${path}: record ${index}: ${reason}`, { cause });
    this.record = index;
    this.reason = reason;
  }
}

interface PicturePlace {
  readonly path: string;
  /** the record's index in the file */
  readonly index: number;
  /** of the picture, for messages */
  readonly name: string;
}

function bytesOf(file: string, { path, index, name }: PicturePlace): Uint8Array {
  try {
    return readBytes(file);
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    const message = `${path}: record ${index}: ${name}: ${thrown.message}`;
    throw new EmacError(thrown.code, message, { cause: thrown });
  }
}

async function frameOf(bytes: Uint8Array, place: PicturePlace): Promise<Frame> {
  try {
    return await decodeImage(bytes);
  } catch (thrown) {
    throw thrown instanceof EmacError && thrown.code === 'data' ? new BadPicture(place, thrown) : thrown;
  }
}
