/** Estimates the requests to a language model as expert, and their cost. Sends nothing. */
import type { Teacher } from '@emac/opening';
import type { LanguageModelConfig } from '@emac/settings';
import type { Examples } from './example.ts';
import { product, type Range } from './range.ts';

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
  { promptTokens: count }: Pick<Teacher, 'promptTokens'>,
  config: LanguageModelConfig,
  { calls, asked }: { readonly calls: Range; readonly asked: Examples['asked'] },
): ExpertEstimate | null {
  if (count === null || asked === null) return null;
  const promptTokens = { least: count(asked.first), most: count(asked.last) };
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
