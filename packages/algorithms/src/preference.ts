/**
 * Preference learning (EMMA's and EMAC+'s second phase): the expert's command is preferred to the student's own, by
 * DPO with mean token log-probabilities (unless set otherwise) and a part `mixRatio` of −log π(chosen). The reference policy judges each pair
 * once, when it is stored, both answers in one sequence and without a gradient: while the policy is still the reference,
 * the rewards are then 0 to rounding.
 */
import type { PreferenceBuffer } from '@emac/buffers';
import {
  invariant,
  type PreferenceGradient,
  type PreferenceOptions,
  type PreferenceRow,
  type Random,
  type SequenceLogProbability,
  type Student,
} from '@emac/core';
import { preferenceMetrics } from '@emac/losses';
import type { Learner, Measures } from './learner.ts';
import { rejectedCommand, type ProbeStep } from './probe.ts';
import { scaledRows, unscaled } from './loss-scale.ts';
import { appender, drawMicroBatches, sumWeights } from './micro-batches.ts';
import { originOf, selectSteps, type LabelledStep } from './select-steps.ts';
import type { TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';

export interface PreferenceParts {
  readonly student: Student;
  /** the policy that preference training starts from; its parameters never change */
  readonly reference: Student;
  /** stored with every pair, to tell whose log-probabilities they are */
  readonly referenceHash?: string;
  /** made with `equalPairs: 'keep'` where the setting `agreed` is `keep` */
  readonly buffer: PreferenceBuffer;
  readonly texts: PolicyTexts;
  readonly settings: Pick<
    TrainingSettings,
    'selection' | 'trainOnUnusable' | 'agreed' | 'batchSize' | keyof PreferenceOptions
  >;
  /** the reference judges a pair when it is stored, not in every update again; default true */
  readonly judgeOnce?: boolean;
  readonly probe?: readonly ProbeStep[];
}

type Pair = Pick<PreferenceRow, 'features' | 'text' | 'chosen' | 'rejected'>;
type ReferencedPair = Pair & Pick<PreferenceRow, 'referenceChosen' | 'referenceRejected'>;

/** Learning to prefer the expert's commands. */
export function preferenceLearner(parts: PreferenceParts): Learner {
  const { student, buffer, settings, referenceHash } = parts;
  const append = appender(buffer, settings.selection.keep === 'distinct');
  let probePairs: Promise<readonly ReferencedPair[]> | undefined;
  return {
    length: () => buffer.length,
    appended: () => buffer.appended,
    async store(steps, random) {
      const before = buffer.appended;
      const origins = pairedSteps(steps, parts, random);
      const pairs = await withReference(
        origins.map(({ pair }) => pair),
        parts,
      );
      pairs.forEach(({ features, ...pair }, place) => {
        const hash = referenceHash === undefined ? {} : { referenceHash };
        append({ ...originOf(origins[place]!.step), ...pair, ...hash }, features);
      });
      return buffer.appended - before;
    },
    async gradient(draw) {
      const drawn = drawMicroBatches(buffer.length, draw).flat();
      const weights = sumWeights(drawn.map((index) => [index, 1 / drawn.length] as const));
      const pairs = await judgedPairs([...weights.keys()], parts);
      const rows = pairs.map((pair, place) => ({ ...pair, weight: [...weights.values()][place]! }));
      const scaled = await student.preferenceGradient(scaledRows(rows, draw.lossScale), settings);
      const found = unscaled(scaled, draw.lossScale);
      const places = new Map([...weights.keys()].map((index, place) => [index, place]));
      const counted = drawn.map((index) => places.get(index)!);
      const measures = measuresOf(rows, { found, counted, beta: settings.beta });
      return { gradients: found.gradients, measures };
    },
    async probe() {
      const steps = (parts.probe ?? []).filter(({ rejected }) => rejected !== null);
      if (steps.length === 0) return null;
      probePairs ??= withReference(
        steps.map((step) => probePair(step, parts.texts)),
        parts,
      );
      return measurePairs(await probePairs, parts);
    },
  };
}

/** Pairs of the buffer with the reference's judgement, the stored one or, where it is not to be relied on, a new one. */
async function judgedPairs(indexes: readonly number[], parts: PreferenceParts): Promise<ReferencedPair[]> {
  const pairs = indexes.map((index) => pairAt(parts.buffer, index));
  return parts.judgeOnce === false ? withReference(pairs, parts) : pairs;
}

function pairAt(buffer: PreferenceBuffer, index: number): ReferencedPair {
  const { text, featuresKey, chosen, rejected, referenceChosen, referenceRejected } = buffer.at(index);
  invariant(
    referenceChosen !== undefined && referenceRejected !== undefined,
    `preferenceLearner: pair ${index} of the buffer was not judged by a reference`,
  );
  const features = buffer.features.read(featuresKey);
  return { text, features, chosen, rejected, referenceChosen, referenceRejected };
}

interface Measured {
  readonly found: PreferenceGradient;
  /** places of the rows that count, as often as they count */
  readonly counted: readonly number[];
  readonly beta: number;
}

/** Loss, and means of −log π(chosen) and of the rewards β·(log π − log reference), as the published log names them. */
function measuresOf(rows: readonly ReferencedPair[], { found, counted, beta }: Measured) {
  const pairs = counted.map((place) => ({
    policyChosen: found.chosen[place]!,
    policyRejected: found.rejected[place]!,
    referenceChosen: rows[place]!.referenceChosen,
    referenceRejected: rows[place]!.referenceRejected,
  }));
  const { chosenReward, rejectedReward, margin, accuracy, nll } = preferenceMetrics(pairs, { beta });
  return { loss: found.loss, nll, w_reward: chosenReward, l_reward: rejectedReward, accuracy, margin };
}

function pairedSteps(steps: readonly LabelledStep[], parts: PreferenceParts, random: Random) {
  return selectSteps(steps, parts.settings.selection).flatMap((step) => {
    const label = step.label ?? (parts.settings.trainOnUnusable ? step.own : null);
    const rejected = label === null ? null : rejectedFor(step, label, { parts, random });
    if (label === null || rejected === null) return [];
    const { features, text } = step;
    const { target } = parts.texts;
    return [{ step, pair: { features, text, chosen: target(label), rejected: target(rejected) } }];
  });
}

function rejectedFor(
  step: LabelledStep,
  label: string,
  { parts, random }: { readonly parts: PreferenceParts; readonly random: Random },
): string | null {
  if (step.own !== label && step.own !== '') return step.own;
  if (parts.settings.agreed === 'drop') return null;
  if (parts.settings.agreed === 'keep') return label;
  return rejectedCommand(label, step.own, { admissible: step.admissible, random: random.stream(step.index) });
}

/** Judges pairs under the reference, `batchSize` at a time. */
async function withReference(pairs: readonly Pair[], parts: PreferenceParts): Promise<ReferencedPair[]> {
  const { reference, settings } = parts;
  const judged: ReferencedPair[] = [];
  for (let start = 0; start < pairs.length; start += settings.batchSize) {
    const batch = pairs.slice(start, start + settings.batchSize);
    const answers = batch.flatMap(({ features, text, chosen, rejected }) =>
      [chosen, rejected].map((target) => ({ features, text, target })),
    );
    const found = await reference.logProbabilities(answers);
    // in the precision in which the policy's come
    const value = ({ sum, tokens }: SequenceLogProbability) =>
      Math.fround(settings.averageLogProbabilities === false ? sum : sum / tokens);
    batch.forEach((pair, place) => {
      const [chosen, rejected] = found.slice(2 * place, 2 * place + 2).map(value);
      judged.push({ ...pair, referenceChosen: chosen!, referenceRejected: rejected! });
    });
  }
  return judged;
}

function probePair({ features, text, label, rejected }: ProbeStep, texts: PolicyTexts): Pair {
  return { features, text, chosen: texts.target(label), rejected: texts.target(rejected!) };
}

async function measurePairs(pairs: readonly ReferencedPair[], parts: PreferenceParts): Promise<Measures> {
  const { student, settings } = parts;
  const rows = pairs.map((pair) => ({ ...pair, weight: 1 / pairs.length }));
  const found = await student.preferenceGradient(rows, settings);
  const measures = measuresOf(rows, { found, counted: [...rows.keys()], beta: settings.beta });
  return { ...measures, pairs: pairs.length };
}
