/**
 * Pictures by name for untrusted clients: a view of the drawn world, a file below one given folder, or a data URL,
 * which is its own name. No name leads elsewhere: no other folder (by `..` or a link), no URL, no device. Missing and
 * forbidden files get the same refusal.
 */
import { constants, realpathSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve as absolute, sep } from 'node:path';
import { EmacError, type Frame } from '@emac/core';
import { isFolder, whileReading } from '@emac/files';
import { decodeImage } from '@emac/images';
import { drawView, thingOf } from '@emac/lewis';
import { gate } from '../serve/gate.ts';

export interface Pictures {
  /** The canonical name of a picture. Throws a `RefusedPicture`. */
  nameOf(given: string): Promise<string>;
  /** The picture. Throws a `RefusedPicture`, also unless it is a PNG or JPEG. */
  frame(given: string): Promise<Frame>;
}

export interface PicturesOptions {
  /** folder of the served pictures, addressed by relative or absolute paths; null for none */
  readonly folder: string | null;
  /** whether to serve views of the drawn world; default true */
  readonly drawn?: boolean;
}

/** A refused name; the message is for the client and reveals nothing about this machine. */
export class RefusedPicture extends EmacError {
  constructor(given: string, why: string) {
    super('data', `picture ${JSON.stringify(shortened(given))}: ${why}`);
  }
}

/** of data URLs, as in an agent's service, and of files */
const dataUrlLimits = { bytes: 8 * 1024 * 1024, pixels: 4_000_000 };
const fileLimits = { bytes: 32 * 1024 * 1024, pixels: 25_000_000 };
const longestPath = 4096;

/** Errors: `missing` for a missing folder. */
export function openPictures({ folder, drawn = true }: PicturesOptions): Pictures {
  const inFolder = folder === null ? null : filesBelow(folder);
  /** a picture takes three times its pixels in memory */
  const decoding = gate(4);
  const pathOf = async (given: string): Promise<string> => {
    const path = given.length <= longestPath ? await inFolder?.(given) : undefined;
    if (path !== undefined) return path;
    throw new RefusedPicture(given, served(drawn, inFolder !== null));
  };
  const decoded = async (given: string, bytes: Uint8Array, limits: typeof fileLimits): Promise<Frame> => {
    try {
      return await decodeImage(bytes, limits);
    } catch (thrown) {
      if (thrown instanceof EmacError && thrown.code === 'data')
        throw new RefusedPicture(given, thrown.message);
      throw thrown;
    }
  };
  return {
    async nameOf(given) {
      return dataHead(given) !== null || (drawn && isDrawn(given)) ? given : pathOf(given);
    },
    async frame(given) {
      const head = dataHead(given);
      if (head === null && drawn && isDrawn(given)) return drawView(given);
      return decoding(async () => {
        if (head !== null) return decoded(given, Buffer.from(given.slice(head), 'base64'), dataUrlLimits);
        return decoded(given, await bytesAt(await pathOf(given), given), fileLimits);
      });
    },
  };
}

/** Length of a data URL's head before the base64; null for anything else. */
function dataHead(given: string): number | null {
  const [head] = /^data:image\/(?:png|jpe?g);base64,/i.exec(given.slice(0, 40)) ?? [];
  if (head === undefined) return null;
  const most = Math.ceil(dataUrlLimits.bytes / 3) * 4;
  if (given.length - head.length <= most) return head.length;
  throw new RefusedPicture(given, `may have ${dataUrlLimits.bytes} bytes`);
}

function isDrawn(given: string): boolean {
  if (given.length > 100 || !given.startsWith('drawn/')) return false;
  try {
    thingOf(given);
    return true;
  } catch {
    return false;
  }
}

function served(drawn: boolean, hasFolder: boolean): string {
  const kinds = [
    ...(drawn ? ['a drawn view such as drawn/ball/red-plain-no/0'] : []),
    ...(hasFolder ? ['a file in the folder of --pictures, without ".."'] : []),
    'a data URL of PNG or JPEG (data:image/png;base64,…)',
  ];
  return `is not served here; a picture is ${kinds.join(', or ')}`;
}

/** Finds the real path of a file; undefined unless it is below the folder. */
function filesBelow(folder: string): (given: string) => Promise<string | undefined> {
  if (!isFolder(folder))
    throw new EmacError('missing', `--pictures ${folder}: must be a folder, it does not exist`);
  const root = whileReading(folder, () => realpathSync(folder));
  const starts = [root, absolute(folder)];
  return async (given) => {
    const isPlain = !/^[a-z][a-z0-9+.-]+:|\0/i.test(given) && !given.split(/[\\/]/).includes('..');
    const path = isAbsolute(given) ? given : join(root, given);
    // never touches anything outside, unless a link leads there
    if (!isPlain || !starts.some((start) => isBelow(path, start))) return undefined;
    try {
      const real = await realpath(path);
      return isBelow(real, root) && (await stat(real)).isFile() ? real : undefined;
    } catch {
      return undefined;
    }
  };
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The last part of the path is no link: links were resolved before. */
async function bytesAt(path: string, given: string): Promise<Uint8Array> {
  const refuse = (why: string) => new RefusedPicture(given, why);
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) throw refuse('cannot be read');
  try {
    const { size } = await file.stat();
    if (size > fileLimits.bytes) throw refuse(`may have ${fileLimits.bytes} bytes, has ${size}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function shortened(given: string): string {
  return given.length <= 100 ? given : `${given.slice(0, 60)}… (${given.length} characters)`;
}
