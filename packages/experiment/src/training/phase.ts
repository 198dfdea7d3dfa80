/** One phase of training from start to end: evaluate, train, evaluate again, and what came of it. */
import { basename, dirname, join } from 'node:path';
import type { DaggerState, MetricsLine, OfflineState } from '@emac/algorithms';
import { readJournal, requireSpace } from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { createRun, holdRun, layout, type HeldRun, type Run } from '@emac/runs';
import { trainingAt } from '../checkpoint/checkpoint-content.ts';
import { keepReference } from '../checkpoint/reference-folder.ts';
import { readStoredConfig, storedConfig, type GivenSettings } from '../config/stored-config.ts';
import type { TrainConfig } from '../config/train-config.ts';
import { timesOf, warn, type Host } from '../host.ts';
import { inUse } from '../opening/model.ts';
import { policySizes } from '../opening/policy-sizes.ts';
import { evaluateAfter, evaluateBefore } from './evaluations.ts';
import { planTraining, type TrainingPlan } from './plan.ts';
import { runEnded } from './run-end.ts';
import { requireSameVersions, versionsOf } from './run-versions.ts';
import { trainOnDataset } from './train-on-dataset.ts';
import { trainOnGames } from './train-on-games.ts';
import { runElsewhere, type RunElsewhere } from '../workers/elsewhere.ts';
import { storePlan, workersLabel } from '../workers/rollout-plan.ts';
import type { Work } from './work.ts';

/** What came of a phase. */
export interface Outcome {
  readonly before: EvaluationResult | null;
  readonly after: EvaluationResult | null;
  /** measures on the expert's steps, or the validation set, before and after training; null without any */
  readonly firstProbe: MetricsLine | null;
  readonly lastProbe: MetricsLine | null;
  /** what the last round came to */
  readonly lastRound: MetricsLine | null;
  /** sentences on records that were left out */
  readonly leftOut: readonly string[];
}

export interface FinishedRun {
  readonly folder: string;
  /** every setting with the value in use */
  readonly config: TrainConfig;
  readonly outcome: Outcome;
  /** how many games were trained on */
  readonly games: { readonly trained: number };
  /** milliseconds that each part took, in this process */
  readonly spent: ReadonlyMap<string, number>;
  /** it went on from a checkpoint or an earlier process */
  readonly wasResumed: boolean;
}

export interface TrainingHost extends Host {
  /** hears of every phase when it is over, before the next one begins */
  readonly onFinished?: (run: FinishedRun) => void;
}

export interface Beginning extends TrainingHost {
  /** phases that were asked for, from this one on */
  readonly phases: readonly TrainConfig['phase'][];
  /** the settings that were given, before any preset */
  readonly given: GivenSettings;
  /** name of the run before */
  readonly previous?: string;
}

/** Carries out a phase in a new run folder. Errors before that is made leave nothing behind; later ones are `RunError`s. */
export async function beginPhase(config: TrainConfig, host: Beginning): Promise<FinishedRun> {
  const times = timesOf(host.now);
  const plan = await times.part('opening', () => planTraining(config, host));
  try {
    const run = createPlannedRun(plan, host);
    return told(await carriedOut({ plan, run, point: null, host, times }), host);
  } finally {
    await plan.dispose();
  }
}

export interface Continuing extends TrainingHost {
  /** other code or backends are no obstacle */
  readonly allowDrift: boolean;
  /** the run's configuration with the settings that were changed */
  readonly changed?: (config: TrainConfig) => TrainConfig;
}

/** Goes on with a phase that was stopped or killed. Errors: `cannot-create`, `data`, `config`, `missing`; then `RunError`s. */
export async function continuePhase(folder: string, host: Continuing): Promise<FinishedRun> {
  const times = timesOf(host.now);
  const held = holdRun(folder);
  for (const damage of held.damage) warn(host.listener, `passed over: ${damage}`);
  let plan: TrainingPlan | undefined;
  let run: Run;
  try {
    const { config, drawn } = readStoredConfig(folder, held.record);
    const changed = host.changed ? host.changed(config) : config;
    plan = await times.part('opening', () =>
      planTraining(changed, host, { folder, drawn, point: held.point }),
    );
    run = continuedRun(held, { folder, plan, host });
  } catch (thrown) {
    held.release();
    await plan?.dispose();
    throw thrown;
  }
  try {
    return told(await carriedOut({ plan, run, point: held.point, host, times, isContinued: true }), host);
  } finally {
    await plan.dispose();
  }
}

/** Workers, where there are any, told what the run is. */
function elsewhereOf({
  plan,
  run: { folder },
  point,
  host: { workers, listener },
}: Begun): RunElsewhere | null {
  if (!workers) return null;
  const { model, config, form, visionNorm, reference, student, random } = plan;
  const { kind, noise, thoughts } = config.expert;
  const labels = workersLabel(config.expert);
  const parts = {
    model,
    config: config.model,
    form,
    visionNorm,
    adapters: [student.adapter, reference?.adapter ?? null],
    expert:
      plan.offline || !labels
        ? null
        : { config: { kind, noise, thoughts }, random: random.stream('retries').path },
  };
  const run = basename(folder);
  const elsewhere = runElsewhere(workers, { run, plan: storePlan(workers.folder, parts), listener, labels });
  if (point) elsewhere.gradients.jobs.at(trainingAt<DaggerState | OfflineState>(point).state.updates);
  return elsewhere;
}

function told(run: FinishedRun, { onFinished }: TrainingHost): FinishedRun {
  onFinished?.(run);
  return run;
}

function createPlannedRun(plan: TrainingPlan, host: Beginning): Run {
  const { config, reference, model, trainedOn, memories, solvedBefore, visionNorm, form } = plan;
  const { out, phase, seed, keep } = config;
  const { phases, given, previous } = host;
  return createRun({
    out,
    phase,
    seed,
    keep,
    config: storedConfig(config, { phases, given, drawn: plan.play.tasks().map(({ id }) => id) }),
    versions: versionsOf(plan),
    now: () => new Date(host.now()),
    ...(previous === undefined ? {} : { previous }),
    prepare: (folder) => {
      requireSpace(dirname(folder), spaceNeeded(plan));
      if (!reference) return;
      const { projection, adapter } = reference;
      const identity = { baseModel: model.identity, games: trainedOn };
      const left = { family: model.files.family, visionNorm, memories, solvedBefore, identity };
      keepReference(folder, { ...left, projection, adapter, form: { ...form, projection: reference.form } });
    },
  });
}

function continuedRun(
  held: HeldRun,
  { folder, plan, host }: { readonly folder: string; readonly plan: TrainingPlan; readonly host: Continuing },
): Run {
  const versions = versionsOf(plan);
  requireSameVersions(folder, { before: held.record.versions, now: versions }, host.allowDrift);
  requireSpace(folder, spaceNeeded(plan));
  return held.goOn({ versions, now: () => new Date(host.now()), keep: plan.config.keep });
}

/** Three checkpoints of all parameters and two moments of those that learn. */
export function spaceNeeded({ student }: Pick<TrainingPlan, 'student'>): number {
  const { parameters, trained } = policySizes(student);
  return 3 * (parameters + 2 * trained);
}

interface Begun extends Omit<Work, 'elsewhere'> {
  readonly isContinued?: boolean;
}

/** Whatever goes wrong is also said in the run's own record. */
async function carriedOut(begun: Begun): Promise<FinishedRun> {
  const { plan, run, point, host, times, isContinued = false } = begun;
  try {
    const work = { ...begun, elsewhere: elsewhereOf(begun) };
    introduce(work);
    await work.elsewhere?.agreed();
    const outcome = await parts(work);
    await work.elsewhere?.agreed();
    run.finish(outcome.after ? { evaluation: outcome.after } : {});
    await work.elsewhere?.forget();
    host.listener?.end?.();
    return {
      folder: run.folder,
      config: plan.config,
      outcome,
      games: { trained: plan.play.tasks().length },
      spent: times.spent,
      wasResumed: point !== null || isContinued,
    };
  } catch (thrown) {
    host.listener?.end?.();
    throw runEnded(run, thrown);
  }
}

function introduce({ plan, run, point, host }: Work): void {
  const { model, notes, play, offline, config } = plan;
  const note = (line: string) => host.listener?.note?.(line);
  host.listener?.run?.(run.folder);
  note(`run ${run.folder}${point ? `, from checkpoint ${point.step}` : ''}`);
  note(inUse(model));
  for (const each of notes) note(each);
  note(
    offline
      ? `${counted(offline.data.length, 'sample')}, ${counted(config.dataset!.epochs, 'epoch')}`
      : `${counted(play.arriving ?? play.tasks().length, 'game')}, ${counted(config.play.rounds, 'round')}`,
  );
}

/** `1 game`, `2 games`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function parts(work: Work): Promise<Outcome> {
  const { plan, run, point, times } = work;
  const before = await times.part('evaluation before', () => evaluateBefore(work));
  const probes = point ? metricsOf(run).filter(({ kind }) => kind === 'probe') : [];
  await (plan.offline ? trainOnDataset(work, probes) : trainOnGames(work, probes));
  const after = await times.part('evaluation after', () => evaluateAfter(work));
  return {
    before,
    after,
    firstProbe: probes[0] ?? null,
    lastProbe: probes.at(-1) ?? null,
    lastRound: metricsOf(run).findLast(({ kind }) => kind === 'round') ?? null,
    leftOut: plan.leftOutTexts(),
  };
}

function metricsOf({ folder }: Pick<Run, 'folder'>): MetricsLine[] {
  return readJournal(join(folder, layout.metrics)) as MetricsLine[];
}
