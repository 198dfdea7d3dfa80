/** The key of the language model: from the environment alone, where no list of processes shows it. */
import { readFileSync, statSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { whileReading } from '@emac/files';
import type { Io } from './io.ts';

/** OPENAI_API_KEY, or what the file in OPENAI_API_KEY_FILE holds. Errors: `auth` where others may read it, `missing`, `io`. */
export function expertKey(env: Io['env']): string | undefined {
  const path = env['OPENAI_API_KEY_FILE'];
  if (env['OPENAI_API_KEY'] || !path) return env['OPENAI_API_KEY'];
  return whileReading(path, () => {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new EmacError(
        'auth',
        `OPENAI_API_KEY_FILE: others than its owner may read ${path} (mode ${(mode & 0o777).toString(8)}); chmod 600 it`,
      );
    return readFileSync(path, 'utf8').trim();
  });
}

/** A key among the words of a command is seen by everyone on the machine. Error: `usage`, without the key. */
export function refuseKeyInWords(argv: readonly string[]): void {
  const flag = argv.map((word) => word.split('=')[0]!).find((word) => /^--(\w+-)*api-?key$/i.test(word));
  if (flag !== undefined)
    throw new EmacError(
      'usage',
      `${flag}: a key on the command line can be read by others and stays in the shell's history; set OPENAI_API_KEY or OPENAI_API_KEY_FILE`,
    );
}
