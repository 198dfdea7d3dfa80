/** Greedy search: the highest logit at every step. The first of equal logits wins, as in PyTorch's argmax. */
import type { NextLogits, SearchOptions } from './beam-search.ts';
import { applyScoreRules } from './score-rules.ts';

/** New tokens, the end token included unless the length ran out. */
export async function greedySearch(next: NextLogits, options: SearchOptions): Promise<number[]> {
  const tokens: number[] = [];
  while (tokens.length < options.maxNewTokens) {
    const previous = tokens.at(-1);
    const [scores] = await next(previous === undefined ? [] : [{ parent: 0, token: previous }]);
    applyScoreRules(scores!, options, {
      seen: [...options.promptTokens, ...tokens],
      generated: tokens.length,
    });
    const token = highest(scores!);
    tokens.push(token);
    if (options.endTokens.includes(token)) break;
  }
  return tokens;
}

function highest(scores: Float32Array): number {
  let best = 0;
  for (let token = 1; token < scores.length; token++) if (scores[token]! > scores[best]!) best = token;
  return best;
}
