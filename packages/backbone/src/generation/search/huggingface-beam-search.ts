/**
 * Beam search as `_beam_search` of transformers 4.57 defines it. Each step considers the top (1 + end tokens) × beams
 * continuations. Those among the first `beams` that end (or reach the last length) compete for the `beams` finished
 * places by score / length^penalty; the best others continue. The search stops when all places are taken and the best
 * open beam, at its present length, is no better than the worst finished one.
 */
import type { SearchOptions } from './search-options.ts';
import { hasEnded, type GeneratedText } from './generated-text.ts';
import type { NextScores } from '../prompts/prompt-reader.ts';
import { continuations, extend, firstBeam, type OpenBeam } from './open-beams.ts';

interface Finished {
  readonly text: GeneratedText;
  readonly score: number;
}

/** The best finished text. */
export async function huggingFaceBeamSearch(
  reader: NextScores,
  options: SearchOptions,
): Promise<GeneratedText> {
  const count = Math.max(2, 1 + options.endTokens.length) * options.beams;
  let open: readonly OpenBeam[] = [firstBeam];
  let finished: readonly Finished[] = [];
  for (let length = 1; length <= options.maxNewTokens; length++) {
    const candidates = await continuations(reader, open, { options, count });
    const isLast = length === options.maxNewTokens;
    const parents = open;
    const ends = candidates.map(
      (candidate) => isLast || hasEnded(extend(parents, candidate).text.tokens, options),
    );
    const ended = candidates.filter((_, rank) => rank < options.beams && ends[rank]);
    finished = bestFinished(
      finished,
      ended.map((candidate) => finish(extend(parents, candidate), length, options)),
      options,
    );
    open = candidates
      .filter((_, rank) => !ends[rank])
      .slice(0, options.beams)
      .map((candidate) => extend(parents, candidate));
    if (open.length === 0 || isDone(finished, { open, length, options })) break;
  }
  return finished[0]!.text;
}

function finish({ text, score }: OpenBeam, length: number, { lengthPenalty }: SearchOptions): Finished {
  return { text, score: perLength(score, length, lengthPenalty) };
}

function bestFinished(
  old: readonly Finished[],
  added: readonly Finished[],
  options: SearchOptions,
): Finished[] {
  return [...old, ...added].sort((a, b) => b.score - a.score).slice(0, options.beams);
}

function isDone(
  finished: readonly Finished[],
  { open, length, options }: { open: readonly OpenBeam[]; length: number; options: SearchOptions },
): boolean {
  if (finished.length < options.beams) return false;
  if (options.earlyStopping === true) return true;
  const toTheEnd = options.earlyStopping === 'never' && options.lengthPenalty > 0;
  const hopedLength = toTheEnd ? options.maxNewTokens : length;
  const hope = perLength(open[0]!.score, hopedLength, options.lengthPenalty);
  return hope <= finished[finished.length - 1]!.score;
}

function perLength(score: number, length: number, penalty: number): number {
  return Math.fround(score / Math.fround(length ** penalty));
}
