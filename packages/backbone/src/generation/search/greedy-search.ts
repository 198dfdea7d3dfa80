/** Greedy search: the highest logit at every step. The first of equal logits wins, as in PyTorch's argmax. */
import type { SearchOptions } from './search-options.ts';
import { followingTokens } from './following-tokens.ts';
import { continued, emptyText, hasEnded, type GeneratedText } from './generated-text.ts';
import type { NextScores } from '../prompts/prompt-reader.ts';
import { noCandidate, type TokenScores } from './top-candidates.ts';

/** The text of the most likely tokens. Errors: `data` if no token can follow. */
export async function greedySearch(reader: NextScores, options: SearchOptions): Promise<GeneratedText> {
  let text = emptyText;
  while (text.tokens.length < options.maxNewTokens) {
    const [row] = await followingTokens(reader, {
      beams: text.tokens.slice(-1).map((token) => ({ parent: 0, token })),
      texts: [text.tokens],
      rules: options,
      count: 1,
      scale: 'logits',
    });
    const token = highest(row!);
    text = continued(text, token, row!.logProbability(token));
    if (hasEnded(text.tokens, options)) break;
  }
  return text;
}

function highest({ tokens, scores }: TokenScores): number {
  let best = 0;
  for (let place = 1; place < scores.length; place++) if (scores[place]! > scores[best]!) best = place;
  if (!(scores[best]! > -Infinity)) throw noCandidate();
  return tokens ? tokens[best]! : best;
}
