/** Content hashes. Node computes SHA-256 faster than MD5 on current processors, so a weaker hash has no use. */
import { startSha256 } from '@emac/platform';

/** SHA-256 of bytes, or of a text as UTF-8, as 64 lower-case hexadecimal digits. */
export function sha256(bytes: Uint8Array | string): string {
  return startSha256().update(bytes).digest('hex');
}
