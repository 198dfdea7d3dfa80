/** Paths in printed commands. */

/** A path in shell syntax. */
export function shellWord(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
