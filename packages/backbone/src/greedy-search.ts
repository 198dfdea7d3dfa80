/** Greedy search: the highest logit at every step. The first of equal logits wins, as in PyTorch's argmax. */
import type { SearchOptions } from './beam-search.ts';
import type { NextScores } from './prompt-reader.ts';
import { applyScoreRules, tokensNeeded } from './score-rules.ts';
import { noCandidate } from './top-candidates.ts';

/** New tokens, the end token included unless the length ran out. Errors: `data` where no token can follow. */
export async function greedySearch(reader: NextScores, options: SearchOptions): Promise<number[]> {
  const tokens: number[] = [];
  while (tokens.length < options.maxNewTokens) {
    const token = await likeliest(reader, options, tokens);
    tokens.push(token);
    if (options.endTokens.includes(token)) break;
  }
  return tokens;
}

async function likeliest(
  { next, best }: NextScores,
  options: SearchOptions,
  tokens: readonly number[],
): Promise<number> {
  const beams = tokens.slice(-1).map((token) => ({ parent: 0, token }));
  // the penalty is on logits here, which a ranking does not tell
  const needed =
    options.repetitionPenalty === 1 ? tokensNeeded(options, { count: 1, generated: tokens }) : null;
  if (!best || needed === null) return highest(applyScoreRules((await next(beams))[0]!, options, tokens));
  const [ranking] = await best(beams, needed);
  const isEarly = tokens.length < options.minNewTokens;
  const isAllowed = (token: number) => !(isEarly && options.endTokens.includes(token));
  const place = ranking!.tokens.findIndex(isAllowed);
  if (!(ranking!.logProbabilities[place]! > -Infinity)) throw noCandidate();
  return ranking!.tokens[place]!;
}

function highest(scores: Float32Array): number {
  let best = 0;
  for (let token = 1; token < scores.length; token++) if (scores[token]! > scores[best]!) best = token;
  if (!(scores[best]! > -Infinity)) throw noCandidate();
  return best;
}
