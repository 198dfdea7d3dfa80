/** A batch's requests for one step, and each search's part of the result. */
import type { Feeds, Value } from '@emac/graph';

import { integers } from './prompts/integers.ts';
import type { Beam, Ranking } from './prompts/prompt-reader.ts';

export interface StepRequest {
  readonly beams: readonly Beam[];
  /** how many best tokens; null for all logits */
  readonly count: number | null;
}

export interface StepScores {
  logits(): Float32Array[];
  best(count: number): Ranking[];
}

/** One for each prompt of the batch; null for finished prompts. */
export type StepRequests = readonly (StepRequest | null)[];

/** Outputs that no request wants, and the largest number of best tokens wanted. */
export function wantedOutputs(requests: StepRequests, ranked: boolean): { skip: string[]; count: Feeds } {
  if (!ranked) return { skip: [], count: {} };
  const counts = requests.flatMap((request) => request?.count ?? []);
  const wantsLogits = requests.some((request) => request?.count === null);
  const skip = counts.length === 0 ? ['best_tokens', 'best_log_probabilities'] : [];
  return {
    skip: wantsLogits ? skip : [...skip, 'logits'],
    count: { count: integers([Math.max(1, ...counts)], [1]) },
  };
}

/** One prompt's part of the scores; before the first step there is one row. */
export function scoresOf(values: Record<string, Value>, prompt: number, beams: number): StepScores {
  const rowsOf = <T extends Float32Array | BigInt64Array>({ shape, data }: Value): T[] => {
    const [, perPrompt, width] = shape as [number, number, number];
    return Array.from({ length: Math.max(1, beams) }, (_, beam) => {
      const start = (prompt * perPrompt + beam) * width;
      return data.subarray(start, start + width) as T;
    });
  };
  return {
    logits: () => rowsOf(values['logits']!),
    best: (count) => {
      const scores = rowsOf<Float32Array>(values['best_log_probabilities']!);
      return rowsOf<BigInt64Array>(values['best_tokens']!).map((tokens, beam) => ({
        tokens: Array.from(tokens.subarray(0, count), Number),
        logProbabilities: scores[beam]!.subarray(0, count),
      }));
    },
  };
}
