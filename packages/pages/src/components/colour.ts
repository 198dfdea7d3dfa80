/** Colours of runs: a run has the same one on every page. */
import { hashOf } from '../data/hash.ts';

/** Number of colours, `--run-0` … in the style. */
export const colourCount = 10;

/** The colour's number, from the run's name alone. */
export function colourOf(name: string): number {
  return hashOf(name) % colourCount;
}

/** How often each colour stood there before: such lines differ in their dashes, and their marks in form. */
export function repeatsOf(colours: readonly number[]): number[] {
  return colours.map((colour, place) => colours.slice(0, place).filter((each) => each === colour).length);
}
