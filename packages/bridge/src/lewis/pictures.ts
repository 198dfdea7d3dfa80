/**
 * Pictures by their names, for whoever is asked by strangers: a view of the drawn world, a file below one named folder, or a data URL, which is its own name.
 * A name leads to nothing else: no other folder, not by `..` and not by a link, no URL, no device. What is not there and what may not be read are refused alike.
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
  /** The one name of a picture that may have several. Throws a `RefusedPicture`. */
  nameOf(given: string): Promise<string>;
  /** The picture. Throws a `RefusedPicture`, also for what is no PNG or JPEG. */
  frame(given: string): Promise<Frame>;
}

export interface PicturesOptions {
  /** the folder whose pictures may be asked for, by paths in it or by whole paths; null for none */
  readonly folder: string | null;
  /** whether views of the drawn world may be asked for; default true */
  readonly drawn?: boolean;
}

/** A name that leads to no picture here; the message is for whoever gave it, and tells nothing of this machine. */
export class RefusedPicture extends EmacError {
  constructor(given: string, why: string) {
    super('data', `picture ${JSON.stringify(shortened(given))}: ${why}`);
  }
}

/** of data URLs, as of an agent's service, and of files */
const dataUrlLimits = { bytes: 8 * 1024 * 1024, pixels: 4_000_000 };
const fileLimits = { bytes: 32 * 1024 * 1024, pixels: 25_000_000 };
const longestPath = 4096;

/** Errors: `missing` for a folder that is not there. */
export function openPictures({ folder, drawn = true }: PicturesOptions): Pictures {
  const inFolder = folder === null ? null : filesBelow(folder);
  /** a picture takes its pixels times three in memory */
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
      if (thrown instanceof EmacError) throw new RefusedPicture(given, thrown.message);
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

/** Characters before a data URL's base64; null for anything else. */
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
    ...(hasFolder ? ['a file in the folder of pictures that was named, without ".."'] : []),
    'a data URL of PNG or JPEG (data:image/png;base64,…)',
  ];
  return `is none that is served here; a picture is ${kinds.join(', or ')}`;
}

/** Finds the real path of a file; undefined for what is not below the folder. */
function filesBelow(folder: string): (given: string) => Promise<string | undefined> {
  if (!isFolder(folder))
    throw new EmacError('missing', `--pictures ${folder}: must be a folder, it is not there`);
  const root = whileReading(folder, () => realpathSync(folder));
  const starts = [root, absolute(folder)];
  return async (given) => {
    const isPlain = !/^[a-z][a-z0-9+.-]+:|\0/i.test(given) && !given.split(/[\\/]/).includes('..');
    const path = isAbsolute(given) ? given : join(root, given);
    // nothing outside is so much as looked at, unless a link leads there
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

/** The last part of the path is no link: it was followed before. */
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
