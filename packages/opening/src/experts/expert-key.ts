/** The language model's key, read only from the environment, where no process list shows it. */
import { readFileSync, statSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { whileReading } from '@emac/files';
import type { Host } from '../host.ts';

/**
 * OPENAI_API_KEY, or the content of the file in OPENAI_API_KEY_FILE. Errors: `auth` if others may read the file,
 * `missing`, `io`.
 */
export function expertKey(env: Host['env']): string | undefined {
  const path = env['OPENAI_API_KEY_FILE'];
  if (env['OPENAI_API_KEY'] || !path) return env['OPENAI_API_KEY'];
  return whileReading(path, () => {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new EmacError(
        'auth',
        `OPENAI_API_KEY_FILE: only its owner may read ${path}, got mode ${(mode & 0o777).toString(8)}; chmod 600 it`,
      );
    return readFileSync(path, 'utf8').trim();
  });
}
