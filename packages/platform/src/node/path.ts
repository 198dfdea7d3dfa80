/** Paths, as Node has them. In a browser's bundle `browser/path.ts` takes this place. */
export { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
