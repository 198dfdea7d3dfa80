/** Regular expressions of a file of tasks, over texts of a server or policy: either may make one run for ever. */
import { LostEpisode } from '@emac/core';
import { withinTime } from '@emac/platform';

/** milliseconds: a harmless expression takes a few on the longest text */
const longest = 5000;

/** Whether a text fits an expression. Errors: `LostEpisode` with the place of one that takes too long: nobody knows whether it fits. */
export function patternFits(
  pattern: string,
  text: string,
  { place, milliseconds = longest }: { readonly place: string; readonly milliseconds?: number },
): boolean {
  const found = withinTime(milliseconds, () => new RegExp(pattern, 'u').test(text));
  if (found) return found.value;
  throw new LostEpisode(
    `${place}: the expression ${pattern.slice(0, 80)} takes more than ${milliseconds / 1000} s on a text of ${text.length} characters; write it without repeated choices`,
  );
}
