/**
 * Learning to prefer the expert's commands to the policy's own, from pairs of all rounds. A reference, if the method has one,
 * judges each pair once, when it is stored.
 */
import type { PreferenceBuffer } from '@emac/buffers';
import {
  invariant,
  type Completion,
  type Random,
  type Scorer,
  type Speech,
  type Trajectory,
  type TrajectoryStep,
} from '@emac/core';
import { episodesIn, type RowsOf } from '../episode-order.ts';
import { rightAnswer, worseThan, type LearnedAnswer } from '../learned-answers.ts';
import type { ProbeStep } from '../probe.ts';
import type { TrainingSettings } from '../label-settings.ts';
import type { EpisodePlace, Learner, Method } from './method.ts';
import { drawMicroBatches, samplesAt } from './micro-batches.ts';
import { judgedBy, type JudgedPair, type Pair } from './preference.ts';
import { selectSteps } from './select-steps.ts';

export interface PreferenceParts {
  readonly method: Method<JudgedPair>;
  /** the policy that preference training starts from; its parameters never change; null for a method without */
  readonly reference: Scorer | null;
  /** stored with every pair, to identify the policy of its log-probabilities */
  readonly referenceHash?: string;
  /** created with `equalPairs: 'keep'` if `agreed` is `keep`, and with `distinct` if the selection is */
  readonly buffer: PreferenceBuffer;
  readonly texts: Speech;
  readonly settings: Pick<TrainingSettings, 'preference' | 'samples'> & {
    readonly optimization: Pick<TrainingSettings['optimization'], 'batchSize'>;
  };
  /** false: the reference judges a pair in every update again, as published, to the same numbers; default true */
  readonly judgeOnce?: boolean;
  readonly probe?: readonly ProbeStep[];
  /** default `steps` */
  readonly rows?: RowsOf;
}

export function preferenceLearner(parts: PreferenceParts): Learner {
  const { method, buffer, settings, probe = [], referenceHash = null, rows = 'steps' } = parts;
  const episodes = rows === 'episodes' ? episodesIn(buffer) : () => null;
  const judge = <Given extends Pair>(pairs: readonly Given[]): Promise<(Given & JudgedPair)[]> =>
    judgedBy(parts.reference, pairs, { ...settings.preference, batchSize: settings.optimization.batchSize });
  let probed: Promise<readonly JudgedPair[]> | undefined;
  return {
    length: () => buffer.length,
    appended: () => buffer.appended,
    async store({ task, steps }: Trajectory, { round, episode }: EpisodePlace, random: Random) {
      const before = buffer.appended;
      const origins = pairedSteps(steps, parts, random);
      const judged = await judge(origins.map(({ pair }) => pair));
      judged.forEach(({ reference, ...pair }, place) => {
        const at = { taskId: task.id, round, episode, step: origins[place]!.index };
        buffer.append({ ...at, ...pair, reference: { ...reference, hash: referenceHash } });
      });
      return buffer.appended - before;
    },
    async gradient(draw, lossScale) {
      const pairs = samplesAt(drawMicroBatches(buffer.length, draw, episodes()), (index) =>
        pairAt(buffer, index),
      );
      const found = await method.gradient(
        parts.judgeOnce === false ? await judgedAgain(pairs, judge) : pairs,
        lossScale,
      );
      if (settings.samples.agreed !== 'random') return found;
      return { ...found, measures: { ...found.measures, random_rejected: shareOfRandom(pairs.flat()) } };
    },
    async probe() {
      const steps = probe.flatMap(({ prompt, chosen, worse }) =>
        worse === null ? [] : [{ prompt, chosen, rejected: worse }],
      );
      if (steps.length === 0) return null;
      probed ??= judge(steps);
      const pairs = await probed;
      return { ...(await method.measure(pairs)), pairs: pairs.length };
    },
  };
}

/** A pair as a buffer holds it: all of both answers counts. */
type StoredPair = Pair & { readonly chosen: Completion; readonly rejected: Completion };

function pairAt(buffer: PreferenceBuffer, index: number): JudgedPair {
  const { prompt, chosen, rejected, isRandom, reference } = buffer.at(index);
  invariant(
    reference,
    `preferenceLearner: pair ${index} of the buffer has no log-probabilities of the reference`,
  );
  return { prompt, chosen, rejected, ...(isRandom && { isRandom }), reference };
}

/** Share of pairs with a random rejected answer. */
function shareOfRandom(pairs: readonly Pair[]): number {
  return pairs.filter(({ isRandom }) => isRandom).length / pairs.length;
}

/** Each pair once, however often it was drawn. */
async function judgedAgain(
  microBatches: readonly (readonly JudgedPair[])[],
  judge: (pairs: readonly Pair[]) => Promise<JudgedPair[]>,
): Promise<readonly (readonly JudgedPair[])[]> {
  const distinct = [...new Set(microBatches.flat())];
  const judged = await judge(distinct);
  const again = new Map(distinct.map((pair, place) => [pair, judged[place]!]));
  return microBatches.map((microBatch) => microBatch.map((pair) => again.get(pair)!));
}

function pairedSteps(
  steps: readonly TrajectoryStep[],
  { settings, texts }: PreferenceParts,
  random: Random,
): { readonly index: number; readonly pair: StoredPair }[] {
  return selectSteps(steps, settings.samples.selection).flatMap(({ index, step }) => {
    const chosen = rightAnswer(step, texts, settings.samples);
    const rejected = chosen && rejectedFor(step, chosen, { settings, texts, random: random.stream(index) });
    if (chosen === null || rejected === null) return [];
    const { isRandom, said } = rejected;
    const pair = { prompt: step.prompt!, chosen: chosen.said, rejected: said };
    return [{ index, pair: { ...pair, ...(isRandom && { isRandom }) } }];
  });
}

/** The policy's answer if it differs from the label; else as the setting `agreed` says. */
function rejectedFor(
  step: TrajectoryStep,
  chosen: LearnedAnswer,
  { settings, texts, random }: Pick<PreferenceParts, 'settings' | 'texts'> & { readonly random: Random },
): { readonly said: string; readonly isRandom: boolean } | null {
  const { observation } = step;
  const worse = worseThan(chosen.command, step, texts);
  if (worse !== null) return { said: worse.said, isRandom: false };
  if (settings.samples.agreed === 'drop') return null;
  if (settings.samples.agreed === 'keep') return { said: chosen.said, isRandom: false };
  const others = (observation.admissible ?? []).filter((command) => command !== chosen.command);
  if (others.length === 0) return null;
  return { said: texts.target(random.pick(others), observation), isRandom: true };
}
