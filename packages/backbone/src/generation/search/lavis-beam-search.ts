/**
 * Beam search as LAVIS gets it from the BeamSearchScorer of transformers 4.28, called with embeddings: the sequence
 * starts with one begin token, and every length includes it; a finished text does not count its end token. Open beams
 * also compete at the length limit. Departure: a text ends with its actual end token, not with the first of several.
 */
import type { SearchOptions } from './search-options.ts';
import { hasEnded, type GeneratedText } from './generated-text.ts';
import type { NextScores } from '../prompts/prompt-reader.ts';
import { continuations, extend, firstBeam, type Continuation, type OpenBeam } from './open-beams.ts';

interface Hypothesis {
  /** with its end token, if it has one */
  readonly text: GeneratedText;
  readonly score: number;
}

/** The best text. */
export async function lavisBeamSearch(reader: NextScores, options: SearchOptions): Promise<GeneratedText> {
  const count = Math.max(2, 1 + options.endTokens.length) * options.beams;
  const hypotheses: Hypothesis[] = [];
  let open: readonly OpenBeam[] = [firstBeam];
  let done = false;
  for (let length = 1; length <= options.maxNewTokens && !done; length++) {
    const candidates = await continuations(reader, open, { options, count });
    open = advance(hypotheses, candidates, { open, options });
    done = isDone(hypotheses, { best: candidates[0]!.score, length: length + 1, options });
    if (open.length === 0) break;
  }
  if (!done) for (const beam of open) add(hypotheses, { beam, length: beam.text.tokens.length }, options);
  return hypotheses.reduce((a, b) => (b.score >= a.score ? b : a)).text;
}

/** Takes candidates in order until `beams` continue; ended ones become hypotheses if among the first `beams`. */
function advance(
  hypotheses: Hypothesis[],
  candidates: readonly Continuation[],
  { open, options }: { open: readonly OpenBeam[]; options: SearchOptions },
): OpenBeam[] {
  const following: OpenBeam[] = [];
  candidates.forEach((candidate, rank) => {
    if (following.length === options.beams) return;
    const beam = extend(open, candidate);
    if (!hasEnded(beam.text.tokens, options)) following.push(beam);
    else if (rank < options.beams) add(hypotheses, { beam, length: beam.text.tokens.length - 1 }, options);
  });
  return following;
}

/** `length` counts tokens without the end token. */
function add(
  hypotheses: Hypothesis[],
  { beam, length }: { beam: OpenBeam; length: number },
  options: SearchOptions,
): void {
  const score = beam.score / (length + 1) ** options.lengthPenalty;
  if (hypotheses.length >= options.beams && score <= worst(hypotheses).score) return;
  hypotheses.push({ text: beam.text, score });
  if (hypotheses.length > options.beams) hypotheses.splice(hypotheses.indexOf(worst(hypotheses)), 1);
}

function worst(hypotheses: readonly Hypothesis[]): Hypothesis {
  return hypotheses.reduce((a, b) => (b.score < a.score ? b : a));
}

function isDone(
  hypotheses: readonly Hypothesis[],
  { best, length, options }: { best: number; length: number; options: SearchOptions },
): boolean {
  if (hypotheses.length < options.beams) return false;
  if (options.earlyStopping === true) return true;
  const toTheEnd = options.earlyStopping === 'never' && options.lengthPenalty > 0;
  const hopedLength = toTheEnd ? options.maxNewTokens + 1 : length;
  return worst(hypotheses).score >= best / hopedLength ** options.lengthPenalty;
}
