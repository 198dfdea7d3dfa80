/**
 * Texts drawn at random: temperature, then the `topK` likeliest tokens, then the nucleus, the smallest set of
 * likeliest tokens that holds `topP` of the probability (Holtzman et al., arXiv 1904.09751), in Hugging Face's order.
 * Several texts after one prompt are drawn side by side. Departure: of equal scores at the edge of `topK`, the lower
 * token ids are kept, not all.
 */
import { EmacError, type Random } from '@emac/core';

import { followingTokens } from './following-tokens.ts';
import { continued, emptyText, type GeneratedText } from './generated-text.ts';
import type { NextScores } from './prompt-reader.ts';
import { reachableTexts, type ScoreRules } from './score-rules.ts';
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

/** The texts. Errors: `usage`; `data` where no token can follow. */
export async function nucleusSampling(
  reader: NextScores,
  settings: SamplingOptions,
): Promise<GeneratedText[]> {
  checkSampling(settings);
  const options = { ...settings, allowed: reachableTexts(settings) };
  const texts = Array.from({ length: options.samples }, () => emptyText);
  /** which texts go on, and the beam of the step before that each continues */
  let open: readonly OpenText[] = texts.map((_, place) => ({ place, parent: 0 }));
  for (let length = 0; length < options.maxNewTokens && open.length > 0; length++) {
    const tokens = open.map(({ place }) => texts[place]!.tokens);
    const rows = await followingTokens(reader, {
      beams: length === 0 ? [] : open.map(({ parent }, beam) => ({ parent, token: tokens[beam]!.at(-1)! })),
      texts: length === 0 ? [[]] : tokens,
      rules: options,
      count: options.topK,
      scale: 'logits',
    });
    open.forEach(({ place }, beam) => {
      const row = rows[length === 0 ? 0 : beam]!;
      const token = draw(nextDistribution(row, options), options.random);
      texts[place] = continued(texts[place]!, token, row.logProbability(token));
    });
    open = open.flatMap(({ place }, beam) =>
      options.endTokens.includes(texts[place]!.tokens.at(-1)!)
        ? []
        : [{ place, parent: length === 0 ? 0 : beam }],
    );
  }
  return texts;
}

interface OpenText {
  readonly place: number;
  readonly parent: number;
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
