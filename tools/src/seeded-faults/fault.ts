/**
 * A fault that a test has to find: one that somebody could make, in one place. The place is the only one in the sources of
 * all packages where the text stands, so that a file may be moved; where the text itself is written anew, its fault is too.
 */

/** One change of the code, and what is wrong after it. */
export interface Fault {
  /** unique among all */
  readonly name: string;
  /** stands once in all sources that are no tests */
  readonly text: string;
  readonly replacement: string;
  /** what does not hold any more */
  readonly breaks: string;
  /** no test found it when the list was made: it shows what is not tested, and its survival is no failure */
  readonly survives?: string;
}

export const fault = (
  name: string,
  [text, replacement]: readonly [string, string],
  breaks: string,
): Fault => ({
  name,
  text,
  replacement,
  breaks,
});
