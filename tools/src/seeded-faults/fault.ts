/**
 * A realistic fault in one place that tests must find. Its text must occur exactly once in the sources of all packages,
 * so files can be moved. If the text is rewritten, the fault must be too.
 */

/** One change of the code, and its effect. */
export interface Fault {
  /** unique among all */
  readonly name: string;
  /** occurs once in all non-test sources */
  readonly text: string;
  readonly replacement: string;
  /** the property it breaks */
  readonly breaks: string;
  /** why no test finds it: it marks untested code, and its survival is no failure */
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
