/** Colours of runs: a run has the same one on every page. */

/** Number of colours, `--run-0` … in the style. */
export const colourCount = 10;

/** The colour's number, from the run's name alone. */
export function colourOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return hash % colourCount;
}
