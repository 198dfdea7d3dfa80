/**
 * Beam search over any function that gives next-token logits, for one prompt. Two definitions, because
 * published numbers depend on it:
 * - `huggingface`: `_beam_search` of transformers 4.57 (the repetition penalty covers prompt and new tokens,
 *   lengths count new tokens, the end token included);
 * - `lavis`: the BeamSearchScorer of transformers 4.28 as LAVIS calls it with embeddings only (the penalty
 *   covers the begin token and new tokens, lengths count the begin token and not the end token).
 * One beam is greedy search on raw logits in both.
 */
import { EmacError } from '@emac/core';

import type { GeneratedText } from './generated-text.ts';
import { greedySearch } from './greedy-search.ts';
import { huggingFaceBeamSearch } from './huggingface-beam-search.ts';
import { lavisBeamSearch } from './lavis-beam-search.ts';
import type { NextScores } from '../prompts/prompt-reader.ts';
import { reachableTexts } from './score-rules.ts';
import type { SearchOptions } from './search-options.ts';

/** The best text. Errors: `usage`; `data` if no token can follow. */
export async function beamSearch(reader: NextScores, settings: SearchOptions): Promise<GeneratedText> {
  checkBeams(settings);
  const options = { ...settings, allowed: reachableTexts(settings) };
  if (options.beams === 1) return greedySearch(reader, options);
  return options.definition === 'lavis'
    ? lavisBeamSearch(reader, options)
    : huggingFaceBeamSearch(reader, options);
}

function checkBeams({ beams, lengthPenalty }: SearchOptions): void {
  if (!Number.isInteger(beams) || beams < 1)
    throw new EmacError('usage', `generation: beams must be a positive integer, got ${beams}`);
  if (!Number.isFinite(lengthPenalty))
    throw new EmacError('usage', `generation: lengthPenalty must be a number, got ${lengthPenalty}`);
}
