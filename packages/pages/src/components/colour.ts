/** Colours of runs: a run has the same one on every page. */

/** Number of colours, `--run-0` … in the style. */
export const colourCount = 10;

/** The colour's number, from the run's name alone. */
export function colourOf(name: string): number {
  let hash = 0;
  for (const character of name) hash = (Math.imul(hash, 31) + character.codePointAt(0)!) >>> 0;
  return hash % colourCount;
}

/** How often each colour stood there before: such lines differ in their dashes, and their marks in form. */
export function repeatsOf(colours: readonly number[]): number[] {
  return colours.map((colour, place) => colours.slice(0, place).filter((each) => each === colour).length);
}
