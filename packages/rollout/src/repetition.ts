/**
 * When an episode goes in circles. The rule is the one every published transcript obeys (688 failed episodes of
 * EMMA): an episode ends as soon as its newest command equals the one before (A A), or its newest two repeat the two
 * before (A B A B).
 */

/** True when the newest commands are A A or A B A B. */
export function repeatsItself(commands: readonly string[]): boolean {
  const [fourth, third, second, newest] = [4, 3, 2, 1].map((back) => commands.at(-back));
  if (newest === undefined || second === undefined) return false;
  return newest === second || (newest === third && second === fourth);
}
