/** A secret that clients show: read from a file, compared in constant time, never printed. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { whileReading } from '@emac/files';

const leastCharacters = 16;

/** The token that a file holds. Errors: `auth` where others may read the file, `data` for a token that is no secret, `missing`, `io`. */
export function readToken(path: string): string {
  return whileReading(path, () => {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new EmacError(
        'auth',
        `token file ${path}: others than its owner may read it (mode ${(mode & 0o777).toString(8)}); chmod 600 it`,
      );
    const token = readFileSync(path, 'utf8').trim();
    if (!/^[\x21-\x7e]+$/.test(token) || token.length < leastCharacters)
      throw new EmacError(
        'data',
        `token file ${path}: must hold one word of at least ${leastCharacters} printable ASCII characters, such as openssl rand -hex 32 makes`,
      );
    return token;
  });
}

/** Whether an `Authorization` header shows the token; how long that takes does not tell where they differ. */
export function showsToken(authorization: string | null, token: string): boolean {
  const shown = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(shown), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
