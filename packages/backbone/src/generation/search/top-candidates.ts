/** The best continuations of several beams: the top of (beams × vocabulary), without a full sort. */

import { EmacError } from '@emac/core';

export interface Candidate {
  readonly beam: number;
  readonly token: number;
  /** accumulated log-probability */
  readonly score: number;
}

/** The error if no token can follow: scores are not numbers, for example from NaN weights. */
export function noCandidate(): EmacError {
  return new EmacError(
    'data',
    'generation: no token has a finite score; are the weights damaged, or too large for the precision?',
  );
}

export interface TokenScores {
  /** the tokens of these scores; absent: score v is token v's */
  readonly tokens?: readonly number[];
  readonly scores: Float32Array;
}

/**
 * The `count` highest of `beamScores[b] + rows[b].scores[v]` (float32 sums), best first; equal scores keep the order of
 * beam, then of the row. Impossible continuations (−∞) are skipped.
 */
export function topCandidates(
  rows: readonly TokenScores[],
  beamScores: readonly number[],
  count: number,
): Candidate[] {
  const best: Candidate[] = [];
  let threshold = -Infinity;
  rows.forEach(({ tokens, scores }, beam) => {
    const beamScore = beamScores[beam]!;
    for (let place = 0; place < scores.length; place++) {
      const score = Math.fround(beamScore + scores[place]!);
      if (!(score > threshold)) continue;
      insert(best, { beam, token: tokens ? tokens[place]! : place, score }, count);
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
