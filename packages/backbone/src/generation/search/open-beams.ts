/** The open beams, and one step over all their continuations. */
import type { SearchOptions } from './search-options.ts';
import { followingTokens } from './following-tokens.ts';
import { continued, emptyText, type GeneratedText } from './generated-text.ts';
import type { NextScores } from '../prompts/prompt-reader.ts';
import { noCandidate, topCandidates, type Candidate } from './top-candidates.ts';

export interface OpenBeam {
  /** new tokens so far */
  readonly text: GeneratedText;
  /** the beam of the previous step that it continues */
  readonly parent: number;
  readonly score: number;
}

export interface Continuation extends Candidate {
  /** of the token, under the model itself */
  readonly logProbability: number;
}

/** Before the first step: one beam, since beams with equal texts would only repeat each other. */
export const firstBeam: OpenBeam = { text: emptyText, parent: 0, score: 0 };

/** The best `count` continuations of the open beams, best first, at least one. Errors: `data` if there are none. */
export async function continuations(
  reader: NextScores,
  open: readonly OpenBeam[],
  { options, count }: { options: SearchOptions; count: number },
): Promise<Continuation[]> {
  const texts = open.map(({ text }) => text.tokens);
  const beams = open.flatMap(({ text, parent }) => text.tokens.slice(-1).map((token) => ({ parent, token })));
  const rows = await followingTokens(reader, {
    beams,
    texts,
    count,
    rules: options,
    scale: 'log-probabilities',
  });
  const scores = open.map(({ score }) => score);
  const candidates = topCandidates(rows, scores, count);
  if (candidates.length === 0) throw noCandidate();
  return candidates.map((candidate) => ({
    ...candidate,
    logProbability: rows[candidate.beam]!.logProbability(candidate.token),
  }));
}

/** The beam made by a continuation. */
export function extend(
  open: readonly OpenBeam[],
  { beam, token, score, logProbability }: Continuation,
): OpenBeam {
  return { text: continued(open[beam]!.text, token, logProbability), parent: beam, score };
}
