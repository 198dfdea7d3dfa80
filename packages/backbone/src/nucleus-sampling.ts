/**
 * Texts drawn at random: temperature, then the `topK` likeliest tokens, then the nucleus, the smallest set of
 * likeliest tokens that holds `topP` of the probability (Holtzman et al., arXiv 1904.09751), in Hugging Face's order.
 * Several texts after one prompt are drawn side by side. Departure: of equal scores at the edge of `topK`, the lower
 * token ids are kept, not all.
 */
import { EmacError, type Random } from '@emac/core';

import type { NextScores } from './prompt-reader.ts';
import {
  applyScoreRules,
  applyScoreRulesTo,
  reachableTexts,
  tokensNeeded,
  type ScoreRules,
} from './score-rules.ts';
import { noCandidate, topCandidates, type TokenScores } from './top-candidates.ts';

export interface Truncation {
  /** scores are divided by it: below 1 favours the likely */
  readonly temperature: number;
  /** how many of the likeliest tokens can be drawn; null: all */
  readonly topK: number | null;
  /** share of the probability that can be drawn, above 0 to 1 */
  readonly topP: number;
}

export interface SamplingOptions extends ScoreRules, Truncation {
  readonly random: Random;
  /** how many texts */
  readonly samples: number;
  readonly maxNewTokens: number;
}

/** Hugging Face's defaults of sampling, for one text. */
export const defaultSampling: Omit<
  SamplingOptions,
  'random' | 'endTokens' | 'promptTokens' | 'maxNewTokens'
> = {
  samples: 1,
  temperature: 1,
  topK: 50,
  topP: 1,
  minNewTokens: 0,
  repetitionPenalty: 1,
  allowed: null,
};

/** New tokens of each text, the end token included unless the length ran out. Errors: `usage`. */
export async function nucleusSampling(reader: NextScores, settings: SamplingOptions): Promise<number[][]> {
  checkSampling(settings);
  const options = { ...settings, allowed: reachableTexts(settings) };
  const texts: number[][] = Array.from({ length: options.samples }, () => []);
  let open: readonly number[][] = texts;
  let rows = await nextScores(reader, { beams: [], texts: [[]], options });
  for (let length = 1; ; length++) {
    open.forEach((text, place) =>
      text.push(draw(nextDistribution(rows[length === 1 ? 0 : place]!, options), options.random)),
    );
    const parents = open.flatMap((text, place) => (options.endTokens.includes(text.at(-1)!) ? [] : [place]));
    open = parents.map((parent) => open[parent]!);
    if (open.length === 0 || length === options.maxNewTokens) return texts;
    const beams = open.map((text, place) => ({
      parent: length === 1 ? 0 : parents[place]!,
      token: text.at(-1)!,
    }));
    rows = await nextScores(reader, { beams, texts: open, options });
  }
}

/** Tokens that can be drawn, likeliest first, and their probabilities; −∞ cannot be drawn. Errors: `data` where none can. */
export function nextDistribution(
  row: TokenScores,
  { temperature, topK, topP }: Truncation,
): { tokens: number[]; probabilities: number[] } {
  const likeliest = sortedTokens(row, topK ?? row.scores.length);
  const highest = likeliest[0]?.score ?? NaN;
  if (!(highest > -Infinity)) throw noCandidate();
  const weights = likeliest.map(({ score }) => Math.exp((score - highest) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  const nucleus = weights.filter((weight, place) => {
    const isInside = place === 0 || before < topP * total;
    before += weight;
    return isInside;
  });
  const kept = nucleus.reduce((sum, weight) => sum + weight, 0);
  return {
    tokens: likeliest.slice(0, nucleus.length).map(({ token }) => token),
    probabilities: nucleus.map((weight) => weight / kept),
  };
}

function sortedTokens(row: TokenScores, count: number): { token: number; score: number }[] {
  if (count < row.scores.length) return topCandidates([row], [0], count);
  return Array.from(row.scores, (score, place) => ({ token: row.tokens?.[place] ?? place, score }))
    .filter(({ score }) => score > -Infinity)
    .sort((a, b) => b.score - a.score);
}

function draw(
  { tokens, probabilities }: { tokens: readonly number[]; probabilities: readonly number[] },
  random: Random,
): number {
  return tokens[random.weightedIndex(probabilities)]!;
}

/** Scores of the next token after each text; log-probabilities and logits are the same to a softmax. */
async function nextScores(
  { next, best }: NextScores,
  {
    beams,
    texts,
    options,
  }: {
    beams: readonly { parent: number; token: number }[];
    texts: readonly (readonly number[])[];
    options: SamplingOptions;
  },
): Promise<TokenScores[]> {
  const { topK, repetitionPenalty } = options;
  const needed =
    topK === null || repetitionPenalty !== 1
      ? null
      : tokensNeeded(options, { count: topK, generated: texts[0]! });
  if (best && needed !== null)
    return (await best(beams, needed)).map((ranking, place) => ({
      tokens: ranking.tokens,
      scores: applyScoreRulesTo(ranking, options, texts[place]!),
    }));
  return (await next(beams)).map((logits, place) => ({
    scores: applyScoreRules(logits, options, texts[place]!),
  }));
}

function checkSampling({ samples, temperature, topK, topP }: SamplingOptions): void {
  const rules: readonly [string, number | null, boolean][] = [
    ['samples must be a positive integer', samples, Number.isInteger(samples) && samples > 0],
    ['temperature must be > 0', temperature, temperature > 0 && Number.isFinite(temperature)],
    ['topK must be a positive integer or null', topK, topK === null || (Number.isInteger(topK) && topK > 0)],
    ['topP must be above 0 and at most 1', topP, topP > 0 && topP <= 1],
  ];
  const broken = rules.find(([, , holds]) => !holds);
  if (broken) throw new EmacError('usage', `sampling: ${broken[0]}, got ${broken[1]}`);
}
