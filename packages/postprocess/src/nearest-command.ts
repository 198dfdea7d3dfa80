/**
 * The command that a model may have meant: the nearest accepted one. Off by default, as it can name an object that the
 * model did not; the distance shows how far it went.
 */

export interface NearestCommand {
  readonly command: string;
  /** letters inserted, deleted or replaced (Levenshtein); 0 for an admissible command */
  readonly distance: number;
}

/**
 * The admissible command with the smallest distance; null if none is within `maxDistance`, or if several are equally
 * near, since the intended one is then unknown.
 */
export function nearestCommand(
  command: string,
  admissible: readonly string[],
  maxDistance = 3,
): NearestCommand | null {
  let best: NearestCommand | null = null;
  let isTie = false;
  for (const candidate of new Set(admissible)) {
    const distance = editDistance(command, candidate);
    if (distance > maxDistance || (best && distance > best.distance)) continue;
    isTie = best?.distance === distance;
    best = { command: candidate, distance };
  }
  return isTie ? null : best;
}

/** Letters inserted, deleted or replaced: Wagner and Fischer 1974, one row at a time. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let other = 1; other <= to.length; other++) {
      const exchanged = row[other - 1]! + (from[at - 1] === to[other - 1] ? 0 : 1);
      next.push(Math.min(exchanged, row[other]! + 1, next[other - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
