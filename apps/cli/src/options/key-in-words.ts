/** Keys do not belong on a command line. */
import { EmacError } from '@emac/core';

/** Everyone on the machine can read a key in a command's words. Error: `usage`, without the key. */
export function refuseKeyInWords(argv: readonly string[]): void {
  const flag = argv.map((word) => word.split('=')[0]!).find((word) => /^--(\w+-)*api-?key$/i.test(word));
  if (flag !== undefined)
    throw new EmacError(
      'usage',
      `${flag}: a key on the command line is visible to others and stays in the shell's history; set OPENAI_API_KEY or OPENAI_API_KEY_FILE`,
    );
}
