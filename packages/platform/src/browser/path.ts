/** Paths of a tab's disk: as on Linux, from `/`. */
export { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'pathe';

export const sep = '/';
