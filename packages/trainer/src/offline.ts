/**
 * Training on a dataset, as EMMA's behaviour cloning was made (15,247 demonstrations before any game): every epoch takes
 * each sample once, in an order of its own. The last micro-batch of an epoch may be smaller and the last update may have
 * fewer micro-batches: nothing is left out, and an update is the mean over the micro-batches it has. The published
 * `world_size` is gradient accumulation here. The schedule counts epochs where training on games counts rounds.
 *
 * A sample that cannot be used is passed over: updates and their means are made of the next ones in the order, and so are
 * the same whether it was known before or found when it was read. A schedule over all updates plans with every sample,
 * since what will be left out is not known: it then ends by as many micro-steps above its minimum.
 *
 * As there, the state changes only between two awaits: what stops training finds it whole.
 */
import { EmacError, type Random, type Student } from '@emac/core';
import {
  nothingUsable,
  offlineGradient,
  offlineMeasures,
  type Judgements,
  type OfflineData,
  type OfflineLearnerParts,
} from './offline-learner.ts';
import { initialOfflineState, resumedOfflineState, type OfflineState } from './offline-state.ts';
import { lossScaleOf } from './loss-scale.ts';
import { createAdamW, type Optimizer, type OptimizerState } from './optimizer.ts';
import type { MetricsLine } from './progress.ts';
import { learningRateAt } from './schedule.ts';
import type { Phase, TrainingSettings } from './settings.ts';
import type { PolicyTexts } from './texts.ts';
import { applyUpdate } from './update.ts';
import { usableSamples, type NumberedSample } from './usable-samples.ts';

export interface OfflineCheckpoint {
  readonly state: OfflineState;
  readonly optimizer: OptimizerState;
}

export interface OfflineMoment extends OfflineCheckpoint {
  /** loss on the validation set, where it was measured since the checkpoint before */
  readonly loss: number | null;
  /** made because training stops here */
  readonly isExtra: boolean;
}

export interface OfflineRun {
  readonly phase: Phase;
  readonly settings: TrainingSettings;
  readonly epochs: number;
  readonly student: Student;
  /** dpo: the policy that preferences are measured against; null for bc */
  readonly reference: Student | null;
  readonly texts: Pick<PolicyTexts, 'target'>;
  readonly data: OfflineData;
  /** measured before the first epoch and after each one */
  readonly validation: OfflineData | null;
  /** of the pairs of `data` */
  readonly judgements?: Judgements;
  readonly random: Random;
  readonly metrics: (line: MetricsLine) => void | Promise<void>;
  readonly report?: (event: OfflineEvent) => void;
  readonly checkpoint?: (moment: OfflineMoment) => void | Promise<void>;
  /** a checkpoint also after so many updates of an epoch */
  readonly checkpointEvery: number;
  readonly resume?: OfflineCheckpoint;
  readonly signal?: AbortSignal;
}

export type OfflineEvent =
  | { readonly kind: 'update'; readonly line: MetricsLine; readonly taken: number }
  | { readonly kind: 'probe' | 'round-end'; readonly line: MetricsLine };

interface Running extends OfflineRun {
  readonly state: OfflineState;
  readonly optimizer: Optimizer;
  readonly judgements: Judgements;
  readonly validated: Judgements;
  /** updates at the last checkpoint */
  saved: number;
}

/** Trains the student in place; returns the last state. Errors: `interrupted`, after a checkpoint; those of the data. */
export async function trainOffline(run: OfflineRun): Promise<OfflineState> {
  const { phase, settings, student, random, resume, data } = run;
  const fields = { phase, randomPath: random.path, samples: data.length };
  const state = resume ? resumedOfflineState(resume.state, fields) : initialOfflineState(fields);
  const optimizer = createAdamW(student.parameters(), settings, resume?.optimizer);
  const judgements = run.judgements ?? judgementsInMemory();
  const validated = judgementsInMemory();
  const running: Running = { ...run, state, optimizer, judgements, validated, saved: state.updates };
  try {
    if (!resume) {
      const loss = await measure(running);
      await save(running, { loss, isExtra: false });
    }
    while (state.epoch < run.epochs) await playEpoch(running);
  } catch (thrown) {
    const isAsked = thrown instanceof EmacError && thrown.code === 'interrupted';
    if (isAsked && state.updates !== running.saved) await save(running, { loss: null, isExtra: true });
    throw thrown;
  }
  return state;
}

/** Kept for as long as the process lives. */
export function judgementsInMemory(): Judgements {
  const known = new Map<number, { readonly chosen: number; readonly rejected: number }>();
  return { get: (index) => known.get(index), add: (index, judged) => void known.set(index, judged) };
}

async function playEpoch(run: Running): Promise<void> {
  const { state, settings, data, random, checkpointEvery } = run;
  const numbers = Array.from({ length: data.length }, (_, index) => index);
  const order = random.stream('order').stream(state.epoch).shuffle(numbers);
  const perUpdate = settings.batchSize * settings.accumulate;
  while (state.taken < data.length) {
    stopIfAsked(run);
    const { samples, taken } = await usableSamples(data, order.slice(state.taken), perUpdate);
    if (samples.length > 0) await updateOnce(run, samples, taken);
    else state.taken += taken;
    if (samples.length > 0 && state.updates % checkpointEvery === 0 && state.taken < data.length)
      await save(run, { loss: null, isExtra: false });
  }
  const loss = await endEpoch(run);
  await save(run, { loss, isExtra: false });
}

/** `taken`: how far the samples go in the order of the epoch, those that are left out included. */
async function updateOnce(run: Running, samples: readonly NumberedSample[], taken: number): Promise<void> {
  const { state, settings, student, optimizer, judgements } = run;
  const microBatches = inBatches(samples, settings.batchSize);
  const random = run.random.stream('samples').stream(state.updates);
  const lossScale = lossScaleOf(settings.lossScaling, state.lossScale);
  const picked = { microBatches, judgements, random, lossScale: lossScale?.scale ?? 1 };
  const gradient = await offlineGradient(partsOf(run), picked);
  const lr = learningRateAt({ ...settings, rounds: run.epochs }, positionOf(run, microBatches.length));
  const how = { student, optimizer, settings, lossScale, learningRate: lr, number: state.updates };
  const applied = applyUpdate(gradient, how);
  state.lossScale = applied.lossScale;
  const update = state.updates++;
  state.microSteps += microBatches.length;
  state.taken += taken;
  const fields = { update, lr, ...gradient.measures, ...applied.measures, samples: samples.length };
  // an update that was skipped for an overflow has no loss
  state.lossSum += (fields.loss ?? 0) * samples.length;
  const line = lineOf(run, 'update', fields);
  await run.metrics(line);
  run.report?.({ kind: 'update', line, taken: state.taken });
}

/** An update happens in the last of its micro-steps, at that one's learning rate. */
function positionOf({ state, settings, epochs, data }: Running, microSteps: number) {
  return {
    round: state.epoch,
    microStep: state.microSteps + microSteps - 1,
    plannedMicroSteps: epochs * Math.ceil(data.length / settings.batchSize),
  };
}

/** Returns the loss on the validation set, null without one. */
async function endEpoch(run: Running): Promise<number | null> {
  const { state, data } = run;
  const used = data.length - (data.leftOut?.() ?? 0);
  if (used === 0) throw nothingUsable('training', data);
  const validation = await measure(run);
  const means = { loss: state.lossSum / used, updates: state.updates, samples: used };
  const line = lineOf(run, 'round', means);
  await run.metrics(line);
  run.report?.({ kind: 'round-end', line });
  Object.assign(state, { epoch: state.epoch + 1, taken: 0, lossSum: 0 });
  return validation;
}

async function measure(run: Running): Promise<number | null> {
  const { validation: data, validated: judgements, random, state } = run;
  if (!data) return null;
  const asked = { data, judgements, random, stopIfAsked: () => stopIfAsked(run) };
  const measures = await offlineMeasures(partsOf(run), asked);
  const line = lineOf(run, 'probe', { update: state.updates, ...measures });
  await run.metrics(line);
  run.report?.({ kind: 'probe', line });
  return measures['loss'] ?? null;
}

function partsOf({ student, reference, settings, texts }: Running): OfflineLearnerParts {
  return { student, reference, settings, texts };
}

/** The epoch stands where a round stands in training on games. */
function lineOf(
  { phase, state }: Running,
  kind: MetricsLine['kind'],
  fields: Readonly<Record<string, number | null>>,
): MetricsLine {
  return { v: 1, kind, phase, round: state.epoch, ...fields };
}

async function save(run: Running, moment: Pick<OfflineMoment, 'loss' | 'isExtra'>): Promise<void> {
  const { state, optimizer, checkpoint } = run;
  await checkpoint?.({ state: { ...state }, optimizer: optimizer.state(), ...moment });
  run.saved = state.updates;
}

function inBatches<T>(samples: readonly T[], size: number): T[][] {
  const count = Math.ceil(samples.length / size);
  return Array.from({ length: count }, (_, place) => samples.slice(place * size, (place + 1) * size));
}

function stopIfAsked({ signal }: Pick<OfflineRun, 'signal'>): void {
  if (signal?.aborted)
    throw new EmacError('interrupted', 'training: stopped on request, go on from the last checkpoint');
}
