/**
 * Texts sampled after one prompt, side by side, each with its own random generator, so no text depends on the others.
 * Rules and truncation restrict the sampled tokens (`drawn-weights.ts`). Log-probabilities and entropies are those of
 * the whole distribution at the temperature, or on request of that over the allowed texts, as a policy gradient's ratio
 * needs them.
 */
import { EmacError, isTemperature, leastTemperature, type Random } from '@emac/core';

import { drawnWeights, type Truncation } from './drawn-weights.ts';
import { hasEnded, type DrawnText, type Endings } from './generated-text.ts';
import { tokenDistribution, type TokenDistribution } from './log-softmax.ts';
import type { Beam, NextScores } from '../prompts/prompt-reader.ts';
import { applyScoreRules, reachableTexts, type ScoreRules } from './score-rules.ts';

export interface SamplingOptions extends ScoreRules, Truncation, Endings {
  /** one text is sampled from each */
  readonly randoms: readonly Random[];
  readonly maxNewTokens: number;
  /** distribution of log-probabilities and entropies: over all tokens, or those that the allowed texts go on with; default all */
  readonly over?: 'all' | 'allowed';
}

/** Hugging Face's sampling defaults. */
export const defaultSampling: Omit<
  SamplingOptions,
  'randoms' | 'endTokens' | 'promptTokens' | 'maxNewTokens'
> = {
  temperature: 1,
  topK: 50,
  topP: 1,
  biases: [],
  minNewTokens: 0,
  repetitionPenalty: 1,
  hasStopped: null,
  allowed: null,
};

/** Samples the texts. Errors: `usage`; `data` if no token can follow. */
export async function sampling(
  reader: Pick<NextScores, 'next'>,
  settings: SamplingOptions,
): Promise<DrawnText[]> {
  checkSampling(settings);
  const options = { ...settings, allowed: reachableTexts(settings) };
  const isOverAll = options.over !== 'allowed' || !options.allowed;
  const texts: DrawnText[] = options.randoms.map(() => ({ tokens: [], logProbabilities: [], entropies: [] }));
  const listed: (readonly number[])[][] = texts.map(() => []);
  let scratch: Scratch | undefined;
  let open: readonly OpenText[] = texts.map((_, place) => ({ place, parent: 0 }));
  for (let length = 0; length < options.maxNewTokens && open.length > 0; length++) {
    const beams = length === 0 ? [] : open.map(({ place, parent }) => beamOf(texts[place]!, parent));
    const rows = await reader.next(beams);
    const following = rows.map((logits, row): Following => {
      const among = isOverAll ? null : options.allowed!.after(texts[open[row]!.place]!.tokens);
      return { logits, among, distribution: tokenDistribution(logits, options.temperature, among) };
    });
    scratch ??= scratchOf(rows[0]!.length);
    for (const [beam, { place }] of open.entries()) {
      const row = following[length === 0 ? 0 : beam]!;
      texts[place] = drawn(texts[place]!, row, { options, random: options.randoms[place]!, scratch });
      if (row.among) listed[place]!.push(row.among);
    }
    open = open.flatMap(({ place }, beam) =>
      hasEnded(texts[place]!.tokens, options) ? [] : [{ place, parent: length === 0 ? 0 : beam }],
    );
  }
  return isOverAll ? texts : texts.map((text, place) => ({ ...text, possible: listed[place]! }));
}

/** An unfinished text. */
interface OpenText {
  readonly place: number;
  /** the beam of the previous step that it continues */
  readonly parent: number;
}

function beamOf({ tokens }: DrawnText, parent: number): Beam {
  return { parent, token: tokens.at(-1)! };
}

interface Following {
  readonly logits: Float32Array;
  /** the tokens of the distribution; null for all */
  readonly among: readonly number[] | null;
  readonly distribution: TokenDistribution;
}

interface Draw {
  readonly options: SamplingOptions;
  readonly random: Random;
  readonly scratch: Scratch;
}

/** Memory reused by every draw. */
interface Scratch {
  readonly scores: Float32Array;
  readonly weights: Float64Array<ArrayBuffer>;
}

function scratchOf(vocabulary: number): Scratch {
  return { scores: new Float32Array(vocabulary), weights: new Float64Array(vocabulary) };
}

/** The text with one more token. */
function drawn(
  { tokens, logProbabilities, entropies }: DrawnText,
  { logits, distribution }: Following,
  { options, random, scratch }: Draw,
): DrawnText {
  scratch.scores.set(logits);
  const scores = applyScoreRules(scratch.scores, options, tokens);
  const token = random.weightedIndex(drawnWeights(scores, options, scratch.weights));
  return {
    tokens: [...tokens, token],
    logProbabilities: [...logProbabilities, distribution.logProbability(token)],
    entropies: [...entropies, distribution.entropy],
  };
}

function checkSampling({ randoms, temperature, topK, topP }: SamplingOptions): void {
  const rules: readonly [string, number | null, boolean][] = [
    ['needs one generator or more', randoms.length, randoms.length > 0],
    [`temperature must be at least ${leastTemperature}`, temperature, isTemperature(temperature)],
    ['topK must be a positive integer or null', topK, topK === null || (Number.isInteger(topK) && topK > 0)],
    ['topP must be above 0 and at most 1', topP, topP > 0 && topP <= 1],
  ];
  const broken = rules.find(([, , holds]) => !holds);
  if (broken) throw new EmacError('usage', `sampling: ${broken[0]}, got ${broken[1]}`);
}
