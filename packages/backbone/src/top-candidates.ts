/** The best continuations of several beams: the top of (beams × vocabulary), without sorting all of it. */

export interface Candidate {
  readonly beam: number;
  readonly token: number;
  /** accumulated log-probability */
  readonly score: number;
}

/**
 * The `count` highest of `beamScores[b] + rows[b][v]` (float32 sums), best first; equal scores keep the order
 * of beam, then token. Impossible continuations (−∞) are left out.
 */
export function topCandidates(
  rows: readonly Float32Array[],
  beamScores: readonly number[],
  count: number,
): Candidate[] {
  const best: Candidate[] = [];
  let threshold = -Infinity;
  rows.forEach((row, beam) => {
    const beamScore = beamScores[beam]!;
    for (let token = 0; token < row.length; token++) {
      const score = Math.fround(beamScore + row[token]!);
      if (!(score > threshold)) continue;
      insert(best, { beam, token, score }, count);
      if (best.length === count) threshold = best[count - 1]!.score;
    }
  });
  return best;
}

function insert(best: Candidate[], candidate: Candidate, count: number): void {
  let place = best.length;
  while (place > 0 && best[place - 1]!.score < candidate.score) place--;
  best.splice(place, 0, candidate);
  if (best.length > count) best.pop();
}
