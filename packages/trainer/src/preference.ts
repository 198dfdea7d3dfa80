/**
 * Preference learning (EMMA's and EMAC+'s second phase): the expert's command is preferred to the student's own, by
 * DPO with mean token log-probabilities and a part `mixRatio` of −log π(chosen). The reference policy judges each pair
 * once, when it is stored, by the very computation that later judges it under the policy (its gradient is thrown
 * away): while the policy is still the reference, the rewards are then 0 to the last bit and not only to rounding.
 */
import type { PreferenceRow, Random, Student } from '@emac/core';
import type { Learner, Measures } from './learner.ts';
import { rejectedCommand, type ProbeStep } from './probe.ts';
import {
  distinctAppender,
  drawMicroBatches,
  sumWeights,
  type PreferenceSample,
  type SampleStore,
} from './sample-store.ts';
import { selectSteps, type LabelledStep } from './select-steps.ts';
import type { TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';

export interface PreferenceParts {
  readonly student: Student;
  /** the policy that preference training starts from; its parameters never change */
  readonly reference: Student;
  readonly store: SampleStore<PreferenceSample>;
  readonly texts: PolicyTexts;
  readonly settings: Pick<
    TrainingSettings,
    'selection' | 'trainOnUnusable' | 'agreed' | 'beta' | 'mixRatio' | 'batchSize'
  >;
  readonly probe?: readonly ProbeStep[];
}

type Pair = Pick<PreferenceRow, 'features' | 'text' | 'chosen' | 'rejected'>;
type ReferencedPair = Pair & Pick<PreferenceRow, 'referenceChosen' | 'referenceRejected'>;

/** Learning to prefer the expert's commands. */
export function preferenceLearner(parts: PreferenceParts): Learner {
  const { student, store, settings } = parts;
  const append = distinctAppender(store, {
    distinct: settings.selection.keep === 'distinct',
    words: (sample) => [sample.features.key, sample.text, sample.chosen, sample.rejected],
  });
  let probePairs: Promise<readonly ReferencedPair[]> | undefined;
  return {
    size: () => store.size,
    async store(steps, random) {
      const before = store.size;
      const origins = pairedSteps(steps, parts, random);
      const pairs = await withReference(
        origins.map(({ pair }) => pair),
        parts,
      );
      for (const [place, { step }] of origins.entries())
        await append({ gameId: step.gameId, round: step.round, step: step.index, ...pairs[place]! });
      return store.size - before;
    },
    async gradient(draw) {
      const share = 1 / (draw.batchSize * draw.accumulate);
      const drawn = drawMicroBatches(store.size, draw).flat();
      const rows: PreferenceRow[] = [];
      for (const [index, weight] of sumWeights(drawn.map((index) => [index, share] as const)))
        rows.push({ ...(await store.read(index)), weight });
      const found = await student.preferenceGradient(rows, settings);
      return {
        gradients: found.gradients,
        measures: { loss: found.loss, ...rewards(rows, found, settings.beta) },
      };
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

/** Mean rewards β·(log π − log reference) of chosen and rejected, and mean −log π(chosen), by row weight. */
function rewards(
  rows: readonly PreferenceRow[],
  { chosen, rejected }: { readonly chosen: Float32Array; readonly rejected: Float32Array },
  beta: number,
) {
  const mean = (value: (row: PreferenceRow, place: number) => number): number =>
    rows.reduce((sum, row, place) => sum + row.weight * value(row, place), 0);
  return {
    nll: mean((_, place) => -chosen[place]!),
    w_reward: mean((row, place) => beta * (chosen[place]! - row.referenceChosen)),
    l_reward: mean((row, place) => beta * (rejected[place]! - row.referenceRejected)),
  };
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
    const rows = batch.map((pair) => ({ ...pair, referenceChosen: 0, referenceRejected: 0, weight: 1 }));
    const { chosen, rejected } = await reference.preferenceGradient(rows, settings);
    batch.forEach((pair, place) =>
      judged.push({ ...pair, referenceChosen: chosen[place]!, referenceRejected: rejected[place]! }),
    );
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
  const { nll, w_reward, l_reward } = rewards(rows, found, settings.beta);
  return { loss: found.loss, nll, w_reward, l_reward, margin: w_reward - l_reward, pairs: pairs.length };
}
