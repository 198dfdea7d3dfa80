/** Paths in settings, resolved from a directory. */
import { isAbsolute, join } from 'node:path';
import { isThere } from '@emac/files';
import { shippedModels } from './shipped-models.ts';

/** words with a meaning in the settings, even if the directory has such a name */
const words = new Set([...shippedModels, 'mlp', 'cnn', 'model', 'random', 'drawn', 'true']);

/** Resolves an existing path from that directory; other words stay. `RUN@best` is resolved as RUN. */
export function pathFrom(path: string, directory: string): string {
  if (isAbsolute(path) || words.has(path) || path.startsWith('builtin:')) return path;
  const places = [path, path.replace(/@(best|latest|\d+)$/, '')];
  return places.some((place) => isThere(join(directory, place))) ? join(directory, path) : path;
}
