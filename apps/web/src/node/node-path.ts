/** `node:path` of a tab. */
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from '@emac/platform';

export { basename, dirname, extname, isAbsolute, join, relative, resolve, sep };
export default { basename, dirname, extname, isAbsolute, join, relative, resolve, sep };
