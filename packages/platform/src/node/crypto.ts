/** Hashes and random bytes of Node. In a browser's bundle `browser/crypto.ts` takes this place. */
import { createHash, randomBytes } from 'node:crypto';

/** A SHA-256 that grows. */
export interface Sha256 {
  update(bytes: Uint8Array | string): this;
  copy(): Sha256;
  digest(encoding: 'hex' | 'base64'): string;
}

/** The hash of no bytes yet. */
export function startSha256(): Sha256 {
  return createHash('sha256');
}

/** `count` random bytes as lower-case hexadecimal digits. */
export function randomHex(count: number): string {
  return randomBytes(count).toString('hex');
}
