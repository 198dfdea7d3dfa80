/**
 * Samples of a dataset, learnt from as transitions of a buffer are: each update's samples are put into a buffer of
 * their own, in the order in which they were drawn. A pair is judged by the reference policy once, with the samples of
 * its first update; what came of it is kept.
 */
import { createImitationBuffer, createPreferenceBuffer } from '@emac/buffers';
import { EmacError, invariant, type Features, type Random, type Student } from '@emac/core';
import { imitationLearner } from './imitation.ts';
import type { Learner, Measures, UpdateGradient } from './learner.ts';
import { preferenceLearner } from './preference.ts';
import type { LabelledStep } from './select-steps.ts';
import type { TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';
import { usableSamples, type NumberedSample } from './usable-samples.ts';

export interface OfflineSample {
  readonly features: Features;
  /** what the student reads */
  readonly text: string;
  /** the command it is to say */
  readonly output: string;
  /** a worse command; null where the dataset has none */
  readonly worse: string | null;
}

/** A dataset that may be larger than the memory. */
export interface OfflineData {
  readonly length: number;
  /** null for a sample that cannot be used: it is left out, and so it is whenever it is asked for again */
  sample(index: number): Promise<OfflineSample | null>;
  /** how many samples are known to be left out; absent where none ever is */
  readonly leftOut?: () => number;
}

/** Mean token log-probabilities under the reference, by the number of a sample. */
export interface Judgements {
  get(index: number): { readonly chosen: number; readonly rejected: number } | undefined;
  add(index: number, judged: { readonly chosen: number; readonly rejected: number }): void;
}

export interface OfflineLearnerParts {
  readonly student: Student;
  /** preference learning: the policy that it starts from; null for imitation */
  readonly reference: Student | null;
  readonly settings: TrainingSettings;
  readonly texts: Pick<PolicyTexts, 'target'>;
}

export interface Picked {
  /** in micro-batches of at most `batchSize` */
  readonly microBatches: readonly (readonly NumberedSample[])[];
  readonly judgements: Judgements;
  readonly random: Random;
  /** default 1 */
  readonly lossScale?: number;
}

/** The gradient of one update over the samples picked. */
export async function offlineGradient(parts: OfflineLearnerParts, picked: Picked): Promise<UpdateGradient> {
  const samples = picked.microBatches.flat();
  const numbers = samples.map(({ index }) => index);
  const learner = await holding(parts, { ...picked, numbers, steps: samples.map(labelledStep) });
  const { batchSize, accumulate } = parts.settings;
  let place = 0;
  const drawn = picked.microBatches.map((each) => each.map(() => place++));
  const { random, lossScale = 1 } = picked;
  return learner.gradient({ batchSize, accumulate, random, drawn, lossScale });
}

interface Holding extends Picked {
  readonly numbers: readonly number[];
  readonly steps: readonly LabelledStep[];
}

/** A learner whose buffer holds these samples and nothing else. */
async function holding(parts: OfflineLearnerParts, held: Holding): Promise<Learner> {
  const { student, reference } = parts;
  const texts: PolicyTexts = { ...noOtherTexts, target: parts.texts.target };
  const settings = { ...parts.settings, selection: { keep: 'all' }, agreed: 'keep' } as const;
  if (!reference) {
    const learner = imitationLearner({ student, texts, settings, buffer: createImitationBuffer() });
    await learner.store(held.steps, held.random);
    return learner;
  }
  const buffer = createPreferenceBuffer({ equalPairs: 'keep' });
  const learner = preferenceLearner({ student, reference, texts, settings, buffer });
  const { numbers, judgements } = held;
  if (numbers.some((index) => judgements.get(index) === undefined)) {
    await learner.store(held.steps, held.random);
    numbers.forEach((index, place) => {
      const { referenceChosen: chosen, referenceRejected: rejected } = buffer.at(place);
      invariant(chosen !== undefined && rejected !== undefined, 'offlineGradient: a pair was not judged');
      if (judgements.get(index) === undefined) judgements.add(index, { chosen, rejected });
    });
    return learner;
  }
  held.steps.forEach((step, place) => {
    const { features, text, label, own, gameId, round, episode, index } = step;
    const { chosen: referenceChosen, rejected: referenceRejected } = judgements.get(numbers[place]!)!;
    const origin = { gameId, round, episode, step: index, text, featuresKey: features.key };
    const answers = { chosen: texts.target(label!), rejected: texts.target(own) };
    buffer.append({ ...origin, ...answers, referenceChosen, referenceRejected }, features);
  });
  return learner;
}

const noOtherTexts = { prompt: () => '', command: (answer: string) => answer };

/** A sample as a step of an episode that nobody knows; what is worse is what the student said. */
function labelledStep({ features, text, output, worse }: OfflineSample, index: number): LabelledStep {
  const origin = { gameId: '', round: 0, episode: 0, index };
  return { ...origin, features, text, label: output, own: worse ?? '', command: output, observation: '' };
}

export interface Measuring extends Omit<Picked, 'microBatches' | 'lossScale'> {
  readonly data: OfflineData;
  readonly stopIfAsked: () => void;
}

/**
 * Loss and more over all of a dataset that can be used, `batchSize` samples at a time. Errors: those of the data;
 * `data` where nothing of it can be used.
 */
export async function offlineMeasures(parts: OfflineLearnerParts, measuring: Measuring): Promise<Measures> {
  const { data } = measuring;
  const { batchSize } = parts.settings;
  const sums = new Map<string, { sum: number; weight: number }>();
  let used = 0;
  for (let start = 0; start < data.length; start += batchSize) {
    measuring.stopIfAsked();
    const count = Math.min(batchSize, data.length - start);
    const numbers = Array.from({ length: count }, (_, place) => start + place);
    const { samples } = await usableSamples(data, numbers);
    if (samples.length === 0) continue;
    used += samples.length;
    const { measures, weight } = await batchMeasures(parts, { ...measuring, samples });
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

/** What is wrong where every sample of a dataset is left out. */
export function nothingUsable(place: string, { length }: OfflineData): EmacError {
  return new EmacError('data', `${place}: needs a sample that can be used, all ${length} are left out`);
}

/** Imitation is measured by the token, so that a batch weighs as many tokens as it has; preference by the pair. */
async function batchMeasures(
  parts: OfflineLearnerParts,
  { samples, ...picked }: Omit<Picked, 'microBatches'> & { readonly samples: readonly NumberedSample[] },
): Promise<{ readonly measures: Measures; readonly weight: number }> {
  if (parts.reference) {
    const { measures } = await offlineGradient(parts, { ...picked, microBatches: [samples] });
    return { measures, weight: samples.length };
  }
  const { target } = parts.texts;
  const rows = samples.map(({ features, text, output }) => ({ features, text, target: target(output) }));
  const found = await parts.student.logProbabilities(rows);
  const weight = found.reduce((sum, { tokens }) => sum + tokens, 0);
  return { measures: { loss: -found.reduce((sum, row) => sum + row.sum, 0) / weight }, weight };
}
