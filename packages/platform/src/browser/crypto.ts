/** Hashes and random bytes of a tab. `crypto.subtle` answers later; files need their hash at once. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Sha256 } from '../node/crypto.ts';

export type { Sha256 } from '../node/crypto.ts';

/** The hash of no bytes yet. */
export function startSha256(): Sha256 {
  return growing(sha256.create());
}

function growing(hash: ReturnType<typeof sha256.create>): Sha256 {
  const self: Sha256 = {
    update(bytes) {
      hash.update(typeof bytes === 'string' ? utf8ToBytes(bytes) : bytes);
      return self;
    },
    copy: () => growing(hash.clone()),
    digest(encoding) {
      const bytes = hash.digest();
      return encoding === 'hex' ? bytesToHex(bytes) : btoa(String.fromCharCode(...bytes));
    },
  };
  return self;
}

/** `count` random bytes as lower-case hexadecimal digits. */
export function randomHex(count: number): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(count)));
}
