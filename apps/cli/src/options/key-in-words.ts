/** Keys have no place on a command line. */
import { EmacError } from '@emac/core';

/** A key among the words of a command is seen by everyone on the machine. Error: `usage`, without the key. */
export function refuseKeyInWords(argv: readonly string[]): void {
  const flag = argv.map((word) => word.split('=')[0]!).find((word) => /^--(\w+-)*api-?key$/i.test(word));
  if (flag !== undefined)
    throw new EmacError(
      'usage',
      `${flag}: a key on the command line can be read by others and stays in the shell's history; set OPENAI_API_KEY or OPENAI_API_KEY_FILE`,
    );
}
