/** What is used of `node:crypto` in a tab; the only hash is SHA-256. */
import { startSha256, type Sha256 } from '@emac/platform';

export const createHash = (_name: 'sha256'): Sha256 => startSha256();
export const randomUUID = (): string => crypto.randomUUID();
export const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));
