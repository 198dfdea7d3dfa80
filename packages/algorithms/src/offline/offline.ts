/**
 * Training on a dataset, as in EMMA's behaviour cloning (15,247 demonstrations before any game): every epoch takes each
 * sample once, shuffled. The last micro-batch of an epoch may be smaller, and the last update may have fewer
 * micro-batches. An update is the mean over its micro-batches. The published `world_size` becomes gradient
 * accumulation. The schedule counts epochs instead of rounds.
 *
 * Unusable samples are skipped: the next ones in the order fill the update. So updates do not depend on when a bad
 * sample was found.
 *
 * As in DAgger, the state changes only between two awaits, so it is consistent whenever training stops.
 */
import { EmacError, type Random, type Scorer, type Trainable } from '@emac/core';
import {
  applyUpdate,
  createOptimizer,
  decayStepOf,
  learningRateAt,
  lossScaleOf,
  type Optimizer,
  type OptimizerState,
} from '@emac/optim';
import { resumedState, stopIfAsked } from '../run-state.ts';
import { episodesFrom, shuffledEpisodes, type RowsOf } from '../episode-order.ts';
import { nothingUsable, readerOf, type NumberedSample, type OfflineData } from './offline-data.ts';
import {
  judgementsInMemory,
  offlineMeasures,
  offlineMethod,
  type Judgements,
  type OfflineMethod,
} from './offline-method.ts';
import { initialOfflineState, type OfflineState } from './offline-state.ts';
import type { MetricsLine, MicroStep } from '../progress.ts';
import type { TrainingSettings } from '../label-settings.ts';
import type { LabelMethod, Phase } from '../methods/list.ts';

export interface OfflineCheckpoint {
  readonly state: OfflineState;
  readonly optimizer: OptimizerState;
}

export interface OfflineMoment extends OfflineCheckpoint {
  /** validation loss measured since the last checkpoint */
  readonly loss: number | null;
  /** made because training stops here */
  readonly isExtra: boolean;
}

export interface OfflineRun {
  readonly phase: Phase;
  /** default the method of the phase */
  readonly method?: LabelMethod;
  readonly settings: Pick<TrainingSettings, 'optimization' | 'preference'>;
  readonly epochs: number;
  readonly policy: Trainable;
  /** dpo: the policy that preferences are measured against; null for bc */
  readonly reference: Scorer | null;
  readonly data: OfflineData;
  /** `episodes`: an epoch takes episode after episode, an update's last one cut where it is full; default `steps` */
  readonly rows?: RowsOf;
  /** measured before the first epoch and after each one */
  readonly validation: OfflineData | null;
  /** of the pairs of `data` */
  readonly judgements?: Judgements;
  readonly random: Random;
  readonly metrics: (line: MetricsLine) => void | Promise<void>;
  readonly report?: (event: OfflineEvent) => void;
  readonly checkpoint?: (moment: OfflineMoment) => void | Promise<void>;
  /** whether a checkpoint is due after so many updates, beside those at the ends of epochs; default never */
  readonly isDue?: (updates: number) => boolean;
  readonly resume?: OfflineCheckpoint;
  readonly signal?: AbortSignal;
}

export type OfflineEvent =
  | {
      readonly kind: 'update';
      readonly line: MetricsLine;
      readonly taken: number;
      readonly microSteps: readonly MicroStep[];
    }
  | { readonly kind: 'probe' | 'round-end'; readonly line: MetricsLine };

interface Running extends OfflineRun {
  readonly state: OfflineState;
  readonly optimizer: Optimizer;
  readonly learning: OfflineMethod;
  readonly validating: OfflineMethod;
  /** updates at the last checkpoint */
  saved: number;
}

/** Trains the policy in place; returns the last state. Errors: `interrupted`, after a checkpoint; those of the data. */
export async function trainOffline(asked: OfflineRun): Promise<OfflineState> {
  const run = begin(asked);
  const { state } = run;
  try {
    if (!run.resume) await save(run, { loss: await measure(run), isExtra: false });
    while (state.epoch < run.epochs && !state.isOver) await playEpoch(run);
  } catch (thrown) {
    const isAsked = thrown instanceof EmacError && thrown.code === 'interrupted';
    if (isAsked && state.updates !== run.saved) await save(run, { loss: null, isExtra: true });
    throw thrown;
  }
  return state;
}

function begin(run: OfflineRun): Running {
  const { phase, settings, policy, random, resume, data } = run;
  const fields = { phase, randomPath: random.path, samples: data.length };
  const fresh = initialOfflineState(fields);
  const owner = { v: fresh.v, kind: fresh.kind, ...fields };
  const state = resume ? resumedState(resume.state, owner, Object.keys(fresh)) : fresh;
  const optimizer = createOptimizer(policy.groups, settings.optimization, resume?.optimizer);
  const { judgements = judgementsInMemory() } = run;
  const learning = offlineMethod({ ...run, judgements });
  const validating = offlineMethod({ ...run, judgements: judgementsInMemory() });
  return { ...run, state, optimizer, learning, validating, saved: state.updates };
}

async function playEpoch(run: Running): Promise<void> {
  const { state, settings, data, random, isDue = () => false, rows } = run;
  const draws = random.stream('order').stream(state.epoch);
  const order =
    rows === 'episodes' && data.begins
      ? Uint32Array.from(shuffledEpisodes(episodesFrom(data.begins, data.length), draws))
      : draws.order(data.length);
  const perUpdate = settings.optimization.batchSize * settings.optimization.accumulate;
  const reader = readerOf(data, order.subarray(state.taken));
  while (state.taken < data.length && !isEnough(run)) {
    stopIfAsked(run);
    const { samples, taken } = await reader.next(perUpdate);
    if (samples.length > 0) await updateOnce(run, samples, taken);
    else state.taken += taken;
    const isWithin = state.taken < data.length && !isEnough(run);
    if (samples.length > 0 && isWithin && isDue(state.updates))
      await save(run, { loss: null, isExtra: false });
  }
  await save(run, {
    loss: await (state.taken < data.length ? endWithin(run) : endEpoch(run)),
    isExtra: false,
  });
}

/** Training ends within an epoch. */
async function endWithin(run: Running): Promise<number | null> {
  const loss = await measure(run);
  run.state.isOver = true;
  return loss;
}

function isEnough({ state, settings }: Running): boolean {
  return state.updates >= (settings.optimization.updates ?? Infinity);
}

/** `taken`: the position in the epoch's order afterwards, skipped samples included. */
async function updateOnce(run: Running, samples: readonly NumberedSample[], taken: number): Promise<void> {
  const { state, policy, optimizer } = run;
  const settings = run.settings.optimization;
  const microBatches = inBatches(samples, settings.batchSize);
  const lossScale = lossScaleOf(settings.lossScaling, state.lossScale);
  const gradient = await run.learning.gradient(microBatches, lossScale?.scale ?? 1);
  const rates = microBatches.map((_, place) =>
    learningRateOf(run, { microStep: place, microSteps: microBatches.length, taken }),
  );
  const learningRate = rates.at(-1)!;
  const how = { policy, optimizer, settings, lossScale, learningRate, number: state.updates };
  const applied = applyUpdate(gradient, how);
  state.lossScale = applied.lossScale;
  const update = state.updates++;
  state.microSteps += microBatches.length;
  state.taken += taken;
  const measures = { ...gradient.measures, ...applied.measures };
  const fields = { update, lr: learningRate, ...measures, samples: samples.length };
  // an update that was skipped for an overflow has no loss
  state.lossSum += (measures.loss ?? 0) * samples.length;
  const line = lineOf(run, 'update', fields);
  await run.metrics(line);
  const microSteps = gradient.microBatches.map((found, place) => ({ lr: rates[place]!, measures: found }));
  run.report?.({ kind: 'update', line, taken: state.taken, microSteps });
}

interface NextMicroStep {
  /** its place in the update */
  readonly microStep: number;
  /** of the update */
  readonly microSteps: number;
  readonly taken: number;
}

/** Of a micro-step of the next update, which happens in the last of them, at that one's learning rate. */
function learningRateOf(
  { state, settings, epochs, data }: Running,
  { microStep: place, microSteps, taken }: NextMicroStep,
): number {
  const { batchSize } = settings.optimization;
  const inRound = Math.ceil(data.length / batchSize);
  const before = Math.ceil((state.taken + taken) / batchSize) - (microSteps - place);
  const decayStep = decayStepOf({ round: state.epoch, before, inRound, inFullRound: inRound });
  const microStep = state.microSteps + place;
  const position = { round: state.epoch, microStep, decayStep, plannedMicroSteps: epochs * inRound };
  return learningRateAt({ ...settings.optimization, rounds: epochs }, position);
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
  const { validation: data, validating, settings, state } = run;
  if (!data) return null;
  const { batchSize } = settings.optimization;
  const measures = await offlineMeasures(validating, {
    data,
    batchSize,
    stopIfAsked: () => stopIfAsked(run),
  });
  const line = lineOf(run, 'probe', { update: state.updates, ...measures });
  await run.metrics(line);
  run.report?.({ kind: 'probe', line });
  return measures['loss'] ?? null;
}

/** An epoch takes the place of a round in training on games. */
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
