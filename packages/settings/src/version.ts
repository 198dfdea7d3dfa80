/** Versions of the framework, as runs record them. */
import { readFileSync } from 'node:fs';
import { codeHash } from './code-hash.ts';

const file = new URL('../package.json', import.meta.url);

export const version: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;

/** Of this program and what runs it: what a worker and those who put jobs must have in common, before they know of each other's runs. */
export function programVersions(): Readonly<Record<'emac' | 'code' | 'node', string>> {
  return { emac: version, code: codeHash(), node: process.version };
}
