/** The expected size and hashes of a file, checked while it arrives. */
import { createHash, type Hash } from 'node:crypto';

/** Known facts about a file before its download. */
export interface Contents {
  /** bytes */
  readonly size?: number | undefined;
  /** 64 hexadecimal digits */
  readonly sha256?: string | undefined;
  /** the file's name in a git repository: SHA-1 of its length and bytes; needs `size` */
  readonly gitSha1?: string | undefined;
}

/** Counts and hashes bytes. */
export interface Tally {
  readonly bytes: number;
  add(bytes: Uint8Array): void;
  /** the mismatch, in words; null if everything fits. Ends the tally. */
  fault(): string | null;
  /** of all bytes, after a call of `fault` */
  readonly sha256: string;
}

export function tallyOf({ size, sha256, gitSha1 }: Contents): Tally {
  const hashes: Hash[] = [createHash('sha256')];
  if (gitSha1 !== undefined && size !== undefined) hashes.push(createHash('sha1').update(`blob ${size}\0`));
  let bytes = 0;
  let digests: string[] = [];
  return {
    get bytes() {
      return bytes;
    },
    add(chunk) {
      bytes += chunk.byteLength;
      for (const hash of hashes) hash.update(chunk);
    },
    fault() {
      digests = hashes.map((hash) => hash.digest('hex'));
      if (size !== undefined && bytes !== size) return `has ${bytes} bytes, must have ${size}`;
      return difference('sha256', digests[0]!, sha256) ?? difference('git hash', digests[1], gitSha1);
    },
    get sha256() {
      return digests[0]!;
    },
  };
}

function difference(name: string, is: string | undefined, wanted: string | undefined): string | null {
  if (wanted === undefined || is === undefined || is === wanted.toLowerCase()) return null;
  return `its ${name} is ${is.slice(0, 12)}…, must be ${wanted.slice(0, 12)}…`;
}

/** True if a hash will verify all bytes, however they were assembled. */
export function isVerifiable({ size, sha256, gitSha1 }: Contents): boolean {
  return sha256 !== undefined || (gitSha1 !== undefined && size !== undefined);
}
