/** The version of the command, from its own package.json. */
import { readFileSync } from 'node:fs';

const file = new URL('../package.json', import.meta.url);

export const version: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
