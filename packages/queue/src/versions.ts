/** Code, model and settings of both sides of a queue: results of other versions must not be mixed in. */
import { EmacError } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';

/** Values that must be equal on both sides, such as `{ code: '0.1.0', model: '<hash>', settings: '<hash>' }`. */
export type Versions = Readonly<Record<string, string>>;

/** Equal versions, equal digests. */
export function versionsDigest(versions: Versions): string {
  return sha256(canonicalJson(versions)).slice(0, 16);
}

/** Throws `config`, naming the difference, if a worker's versions differ from the producer's. */
export function checkVersions(worker: string, own: Versions, wanted: Versions): void {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(own)])].sort();
  const differences = names
    .filter((name) => own[name] !== wanted[name])
    .map((name) => `${name} ${own[name] ?? 'none'} instead of ${wanted[name] ?? 'none'}`);
  if (differences.length > 0)
    throw new EmacError(
      'config',
      `worker ${worker}: must have the versions of the run, has ${differences.join(', ')}; start it with the same versions`,
    );
}
