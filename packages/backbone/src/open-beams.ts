/** The beams that are still growing, and one step of looking at all their continuations. */
import type { SearchOptions } from './beam-search.ts';
import { logSoftmax } from './log-softmax.ts';
import type { Beam, NextScores } from './prompt-reader.ts';
import { applyScoreRules, applyScoreRulesTo, tokensNeeded } from './score-rules.ts';
import { noCandidate, topCandidates, type Candidate, type TokenScores } from './top-candidates.ts';

export interface OpenBeam {
  /** new tokens so far */
  readonly tokens: readonly number[];
  /** the beam of the step before that it continues */
  readonly parent: number;
  readonly score: number;
}

/** Before the first step: one beam, since beams of equal text would only repeat each other. */
export const firstBeam: OpenBeam = { tokens: [], parent: 0, score: 0 };

/** More of the best tokens than this cost more than all logits do. */
const mostBestTokens = 256;

/** The best `count` continuations of the open beams, best first, at least one. Errors: `data` where there is none. */
export async function continuations(
  reader: NextScores,
  open: readonly OpenBeam[],
  { options, count }: { options: SearchOptions; count: number },
): Promise<Candidate[]> {
  const beams = open.flatMap(({ tokens, parent }) =>
    tokens.length === 0 ? [] : [{ parent, token: tokens[tokens.length - 1]! }],
  );
  const rows =
    (await bestScores(reader, { beams, open, options, count })) ??
    (await reader.next(beams)).map((logits, beam) => ({
      scores: applyScoreRules(logSoftmax(logits), options, open[beam]!.tokens),
    }));
  const scores = open.map(({ score }) => score);
  const candidates = topCandidates(rows, scores, count);
  if (candidates.length === 0) throw noCandidate();
  return candidates;
}

interface StepRequest {
  readonly beams: readonly Beam[];
  readonly open: readonly OpenBeam[];
  readonly options: SearchOptions;
  readonly count: number;
}

/** Scores after the rules of all tokens that can be among the best; null where reader or rules need every logit. */
async function bestScores(
  { best }: NextScores,
  { beams, open, options, count }: StepRequest,
): Promise<TokenScores[] | null> {
  const needed = open.map(({ tokens }) => tokensNeeded(options, { count, generated: tokens }) ?? Infinity);
  const most = Math.max(...needed);
  if (!best || most > mostBestTokens) return null;
  return (await best(beams, most)).map((ranking, beam) => ({
    tokens: ranking.tokens,
    scores: applyScoreRulesTo(ranking, options, open[beam]!.tokens),
  }));
}

/** The beam that a candidate makes. */
export function extend(open: readonly OpenBeam[], { beam, token, score }: Candidate): OpenBeam {
  return { tokens: [...open[beam]!.tokens, token], parent: beam, score };
}
