/** Estimates the requests to a language model as expert, and their cost. Sends nothing. */
import { product, type ExpectedExpert, type Range } from '@emac/opening';
import type { Growth } from './recorder.ts';

export interface ExpertEstimate {
  /** labels and reflections, without retries and separate thoughts */
  readonly calls: Range;
  /** tokens of one prompt, at the first and at the last possible step */
  readonly promptTokens: Range;
  /** of all calls */
  readonly tokens: { readonly prompt: Range; readonly answer: Range };
  /** US dollars; null without prices */
  readonly cost: Range | null;
  /** limits that were set; null for none */
  readonly budget: { readonly tokens: number | null; readonly dollars: number | null };
}

/** shortest answer that is a command */
const leastAnswer = 2;

/** Null for an expert that sends nothing. */
export function expertEstimate(
  { promptTokens: count, calls, config }: ExpectedExpert,
  requests: Growth | null,
): ExpertEstimate | null {
  if (count === null || requests === null) return null;
  const promptTokens = { least: requests.first, most: requests.last };
  const tokens = {
    prompt: product(calls, promptTokens),
    answer: product(calls, { least: leastAnswer, most: config.answerTokens }),
  };
  const { priceIn, priceOut, budget: dollars, maxTokensTotal, replay } = config;
  const dollarsOf = (side: 'least' | 'most') =>
    (tokens.prompt[side] * priceIn! + tokens.answer[side] * priceOut!) / 1e6;
  const isPriced = priceIn !== null && priceOut !== null && replay === null;
  return {
    calls,
    promptTokens,
    tokens,
    cost: isPriced ? { least: dollarsOf('least'), most: dollarsOf('most') } : null,
    budget: { tokens: maxTokensTotal, dollars },
  };
}
