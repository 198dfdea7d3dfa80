/**
 * Trains on dataset samples with the methods for buffers. The reference policy judges a pair once, when it is first
 * read; the result is kept.
 */
import { invariant, type Scorer, type Trainable } from '@emac/core';
import type { Measures } from '@emac/optim';
import { answerTokens, type ImitationSample } from '../methods/imitation.ts';
import { labelMethod, type LabelMethod, type Phase } from '../methods/list.ts';
import type { Method, MethodGradient } from '../methods/method.ts';
import { nothingUsable, usableSamples, type NumberedSample, type OfflineData } from './offline-data.ts';
import { judgedBy, type JudgedPair, type Judgement } from '../methods/preference.ts';
import type { TrainingSettings } from '../label-settings.ts';

/** Log-probabilities under the reference, by the number of a sample. */
export interface Judgements {
  get(index: number): Judgement | undefined;
  add(index: number, judged: Judgement): void;
}

/** Kept for as long as the process lives. */
export function judgementsInMemory(): Judgements {
  const known = new Map<number, Judgement>();
  return { get: (index) => known.get(index), add: (index, judged) => void known.set(index, judged) };
}

export interface OfflineMethod {
  gradient(microBatches: readonly (readonly NumberedSample[])[], lossScale: number): Promise<MethodGradient>;
  /** of samples, and how much they weigh in a mean over all */
  measure(
    samples: readonly NumberedSample[],
  ): Promise<{ readonly measures: Measures; readonly weight: number }>;
}

export interface OfflineMethodParts {
  readonly phase: Phase;
  /** default the method of the phase */
  readonly method?: LabelMethod;
  readonly policy: Trainable;
  /** that judges pairs; null for a method without one */
  readonly reference: Scorer | null;
  readonly settings: Pick<TrainingSettings, 'preference' | 'optimization'>;
  readonly judgements: Judgements;
}

/** The method of a phase. Errors: `internal` for one that lacks its reference. */
export function offlineMethod(parts: OfflineMethodParts): OfflineMethod {
  const { phase, policy, reference, settings, method = labelMethod(phase) } = parts;
  if (method.over === 'answers') return overOutputs(parts, method.learn(policy));
  invariant(reference || method.isJudged === false, `trainOffline: ${phase} needs a reference policy`);
  return overPairs(parts, method.learn(policy, settings.preference, reference));
}

/** Measured by the token, so that a batch weighs as many tokens as it has. */
function overOutputs({ policy }: OfflineMethodParts, method: Method<ImitationSample>): OfflineMethod {
  const sampleOf = ({ prompt, output }: NumberedSample) => ({ prompt, answer: output });
  return {
    gradient: (microBatches, lossScale) =>
      method.gradient(
        microBatches.map((microBatch) => microBatch.map(sampleOf)),
        lossScale,
      ),
    async measure(given) {
      const samples = given.map(sampleOf);
      const weight = samples.reduce((sum, sample) => sum + answerTokens(policy, sample), 0);
      return { measures: await method.measure(samples), weight };
    },
  };
}

/** Measured by the pair. */
function overPairs(
  { reference, settings, judgements }: OfflineMethodParts,
  method: Method<JudgedPair>,
): OfflineMethod {
  const judged = async (samples: readonly NumberedSample[]): Promise<JudgedPair[]> => {
    const pairs = samples.map(({ index, prompt, output, worse, label = null }) => {
      const pair = { index, prompt, chosen: output, rejected: worse ?? output };
      return label === null ? pair : { ...pair, label };
    });
    const unknown = pairs.filter(({ index }) => judgements.get(index) === undefined);
    const { batchSize } = settings.optimization;
    for (const { index, reference: found } of await judgedBy(reference, unknown, {
      ...settings.preference,
      batchSize,
    }))
      judgements.add(index, found);
    return pairs.map(({ index, ...pair }) => ({ ...pair, reference: judgements.get(index)! }));
  };
  return {
    async gradient(microBatches, lossScale) {
      const pairs = await judged(microBatches.flat());
      let place = 0;
      return method.gradient(
        microBatches.map((microBatch) => microBatch.map(() => pairs[place++]!)),
        lossScale,
      );
    },
    measure: async (samples) => ({
      measures: await method.measure(await judged(samples)),
      weight: samples.length,
    }),
  };
}

export interface Measuring {
  readonly data: OfflineData;
  readonly batchSize: number;
  readonly stopIfAsked: () => void;
}

/**
 * Loss and more over all usable samples of a dataset, `batchSize` at a time. Errors: those of the data; `data` if no
 * sample is usable.
 */
export async function offlineMeasures(
  method: OfflineMethod,
  { data, batchSize, stopIfAsked }: Measuring,
): Promise<Measures> {
  const sums = new Map<string, { sum: number; weight: number }>();
  let used = 0;
  for (let start = 0; start < data.length; start += batchSize) {
    stopIfAsked();
    const count = Math.min(batchSize, data.length - start);
    const numbers = Array.from({ length: count }, (_, place) => start + place);
    const samples = await usableSamples(data, numbers);
    if (samples.length === 0) continue;
    used += samples.length;
    const { measures, weight } = await method.measure(samples);
    for (const [name, value] of Object.entries(measures)) {
      if (value === null) continue;
      const { sum, weight: before } = sums.get(name) ?? { sum: 0, weight: 0 };
      sums.set(name, { sum: sum + value * weight, weight: before + weight });
    }
  }
  if (used === 0) throw nothingUsable('validation', data);
  const means = [...sums].map(([name, { sum, weight }]) => [name, sum / weight] as const);
  return { ...Object.fromEntries(means), samples: used };
}
