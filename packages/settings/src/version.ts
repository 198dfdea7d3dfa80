/** Versions of the framework, as runs record them. */
import { readFileSync } from 'node:fs';
import { codeHash } from './code-hash.ts';

const file = new URL('../package.json', import.meta.url);

export const version: string = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;

/**
 * Versions of this program and its runtime that worker and producers must share, before they know of each other's runs.
 */
export function programVersions(): Readonly<Record<'emac' | 'code' | 'node', string>> {
  return { emac: version, code: codeHash(), node: process.version };
}
