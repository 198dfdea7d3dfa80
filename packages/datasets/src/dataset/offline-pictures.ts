/** Pictures of a dataset: files below a folder, looked for once and decoded on request. */
import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { EmacError, type Frame } from '@emac/core';
import { isFile, isThere, readBytes, refusePointer, whileReading } from '@emac/files';
import { decodeImage } from '@emac/images';

export function withoutPicture(path: string, index: number): EmacError {
  return new EmacError(
    'data',
    `${path}: record ${index}: image: is missing, a policy that sees pictures needs it; name a file, or use --observe text`,
  );
}

/** The distinct names of pictures. Each must be an existing file below the folder, also after links; it is looked for once. */
export function pictureNames(path: string, root: string) {
  const firstUse = new Map<string | undefined, number>();
  const found = new Set<string>();
  const require = (image: string, index: number): void => {
    if (!found.has(image)) requirePicture(image, { path, index, root });
    found.add(image);
  };
  return {
    add(image: string | undefined, index: number): void {
      if (!firstUse.has(image)) firstUse.set(image, index);
    },
    require,
    requireAll(): void {
      for (const [image, index] of firstUse) {
        if (image === undefined) throw withoutPicture(path, index);
        require(image, index);
      }
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

  constructor({ path, index, image }: PicturePlace, cause: EmacError) {
    const reason = `image ${image}: ${cause.message}`;
    super('data', `${path}: record ${index}: ${reason}`, { cause });
    this.record = index;
    this.reason = reason;
  }
}

interface PicturePlace {
  readonly path: string;
  /** the record's index in the file */
  readonly index: number;
  readonly image: string;
}

export function bytesOf(file: string, { path, index, image }: PicturePlace): Uint8Array {
  try {
    return readBytes(file);
  } catch (thrown) {
    if (!(thrown instanceof EmacError)) throw thrown;
    const message = `${path}: record ${index}: image ${image}: ${thrown.message}`;
    throw new EmacError(thrown.code, message, { cause: thrown });
  }
}

export async function frameOf(bytes: Uint8Array, place: PicturePlace): Promise<Frame> {
  try {
    return await decodeImage(bytes);
  } catch (thrown) {
    throw thrown instanceof EmacError && thrown.code === 'data' ? new BadPicture(place, thrown) : thrown;
  }
}
