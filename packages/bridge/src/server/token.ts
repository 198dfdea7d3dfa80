/** The clients' secret token: read from a file, compared in constant time, never printed. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { whileReading } from '@emac/files';

const leastCharacters = 16;

/** Reads a token file. Errors: `auth` if others may read the file, `data` for an unusable token, `missing`, `io`. */
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

/** Whether an `Authorization` header has the token; its timing does not reveal where they differ. */
export function showsToken(authorization: string | null, token: string): boolean {
  const shown = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(shown), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
