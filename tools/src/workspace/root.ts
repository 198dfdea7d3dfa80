/** The workspace's folder, for its own tests. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository's root. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Names of the folders in `packages/`, sorted. */
export function packageNames(): string[] {
  return readdirSync(`${root}packages`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
