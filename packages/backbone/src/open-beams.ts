/** The beams that are still growing, and one step of looking at all their continuations. */
import type { NextLogits, SearchOptions } from './beam-search.ts';
import { logSoftmax } from './log-softmax.ts';
import { applyScoreRules } from './score-rules.ts';
import { topCandidates, type Candidate } from './top-candidates.ts';

export interface OpenBeam {
  /** new tokens so far */
  readonly tokens: readonly number[];
  /** the beam of the step before that it continues */
  readonly parent: number;
  readonly score: number;
}

/** Before the first step: one beam, since beams of equal text would only repeat each other. */
export const firstBeam: OpenBeam = { tokens: [], parent: 0, score: 0 };

/** The best `count` continuations of the open beams, best first. */
export async function continuations(
  next: NextLogits,
  open: readonly OpenBeam[],
  { options, count }: { options: SearchOptions; count: number },
): Promise<Candidate[]> {
  const beams = open.flatMap(({ tokens, parent }) =>
    tokens.length === 0 ? [] : [{ parent, token: tokens[tokens.length - 1]! }],
  );
  const rows = (await next(beams)).map(logSoftmax);
  rows.forEach((row, beam) => {
    const { tokens } = open[beam]!;
    applyScoreRules(row, options, { seen: [...options.promptTokens, ...tokens], generated: tokens.length });
  });
  return topCandidates(
    rows,
    open.map(({ score }) => score),
    count,
  );
}

/** The beam that a candidate makes. */
export function extend(open: readonly OpenBeam[], { beam, token, score }: Candidate): OpenBeam {
  return { tokens: [...open[beam]!.tokens, token], parent: beam, score };
}
