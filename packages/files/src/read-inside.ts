/** Reading of folders that others made: an ordinary file inside the folder, wherever its name or a link would lead. */
import { join, realpathSync, sep } from '@emac/platform';
import { EmacError } from '@emac/core';
import { whileReading } from './io-error.ts';
import { isFile } from './place.ts';
import { readBytes } from './read-file.ts';

/** The content of `name` below `folder`. Errors: `data` for what is no file or lies elsewhere; those of `readBytes`. */
export function readInside(folder: string, name: string): Buffer<ArrayBuffer> {
  return readBytes(pathInside(folder, name));
}

/** The path of `name` below `folder`, without links. Errors: as `readInside`'s. */
export function pathInside(folder: string, name: string): string {
  const given = join(folder, name);
  const [root, path] = whileReading(given, () => [realpathSync(folder), realpathSync(given)]);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new EmacError(
      'data',
      `${given}: leads to ${path}, outside the folder; copy the file into its place`,
    );
  if (!isFile(path)) throw new EmacError('data', `${given}: must be a file`);
  return path;
}
