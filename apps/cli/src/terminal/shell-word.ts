/** Paths in commands that are printed to be typed. */

/** A path as a shell reads it. */
export function shellWord(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
