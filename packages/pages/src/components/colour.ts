/** Colours of runs: a run has the same one on every page, unless a run before it there has that one. */
import { hashOf } from '../data/hash.ts';

/** Number of colours, `--run-0` … in the style. */
export const colourCount = 10;

/** The colour's number, from the run's name alone. */
export function colourOf(name: string): number {
  return hashOf(name) % colourCount;
}

/** Of runs shown together: each has its own colour, or the next one that none before it has, as long as there are any. */
export function coloursOf(names: readonly string[]): ReadonlyMap<string, number> {
  const colours = new Map<string, number>();
  for (const name of names) {
    const taken = new Set(colours.values());
    const own = colourOf(name);
    const free = Array.from({ length: colourCount }, (_, after) => (own + after) % colourCount);
    colours.set(name, free.find((each) => !taken.has(each)) ?? own);
  }
  return colours;
}

/** How often each colour stood there before: such lines differ in their dashes, and their marks in form. */
export function repeatsOf(colours: readonly number[]): number[] {
  return colours.map((colour, place) => colours.slice(0, place).filter((each) => each === colour).length);
}
