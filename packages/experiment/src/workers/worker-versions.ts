/** What a worker and those who put jobs must have in common before they know of each other's runs. */
import type { Versions } from '@emac/queue';
import { version } from '@emac/settings';
import { codeHash } from '../training/code-hash.ts';

/** Versions of this code and of Node. Model and settings are checked where a worker opens the plan of a run. */
export function workerVersions(): Versions {
  return { emac: version, code: codeHash(), node: process.version };
}
