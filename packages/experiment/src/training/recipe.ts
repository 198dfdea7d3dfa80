/** The part of behaviour cloning and preference learning, on games or a dataset, in a run's life. */
import { basename, dirname, join, resolve } from 'node:path';
import type { DaggerState, MetricsLine, OfflineState } from '@emac/algorithms';
import { readJournal } from '@emac/files';
import { inUse, isBuiltin, storedSizes, type Host } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import { layout, type Run } from '@emac/runs';
import {
  fromDirectory,
  laterConfig,
  programVersions,
  readStoredConfig,
  storedConfig,
  type GivenSettings,
  type TrainConfig,
} from '@emac/settings';
import { trainingAt } from '../checkpoint/training-state.ts';
import { evaluateRun } from '../evaluation/play-in-words.ts';
import {
  spaceNeeded,
  type Continued,
  type Finished,
  type KeptResult,
  type Opened,
  type Recipe,
  type Trained,
  type Training,
  type Types,
  type When,
  type Work as RunWork,
} from '../life/recipe.ts';
import { expectedTraining } from './expected-training.ts';
import { planTraining } from './plan-training.ts';
import type { TrainingPlan } from './plan.ts';
import { trainOnDataset } from './train-on-dataset.ts';
import { trainOnGames } from './train-on-games.ts';
import { trainingWorkers, type Work } from './training-workers.ts';
import { inTrial } from './trial.ts';

/** The start of a run. */
export interface TrainAsked {
  readonly config: TrainConfig;
  /** requested phases in order, from this run's on */
  readonly phases: readonly TrainConfig['phase'][];
  /** the settings that were given, before any preset: a later phase has its own */
  readonly given: GivenSettings;
  /** ids of the drawn games */
  readonly drawn: readonly string[];
  /** base of relative paths in `given`; null for the current directory */
  readonly directory: string | null;
}

/** The result of training. */
export interface Outcome {
  /** measures on the expert's steps, or the validation set, before and after training; null without any */
  readonly firstProbe: MetricsLine | null;
  readonly lastProbe: MetricsLine | null;
  /** the last round's metrics */
  readonly lastRound: MetricsLine | null;
  /** labels of all rounds whose command was repaired */
  readonly repairs: number;
  /** how many games were trained on */
  readonly games: number;
}

export interface TrainTypes extends Types {
  readonly command: 'train';
  readonly asked: TrainAsked;
  readonly config: TrainConfig;
  readonly evaluation: EvaluationResult;
  readonly outcome: Outcome;
}

export type FinishedRun = Finished<TrainTypes>;

export const trainRecipe: Recipe<TrainTypes> = { command: 'train', read, open, next };

function read(folder: string, directory: string): TrainAsked {
  const { config, kept } = readStoredConfig(folder, 'train', ['phases', 'given', 'drawn']);
  const { phases = [config.phase], given = {}, drawn = [] } = kept as Partial<TrainAsked>;
  const here = { ...fromDirectory('train', config, directory), out: dirname(resolve(folder)) };
  return { config: here, phases, given, drawn, directory };
}

/** A later phase trains against the run before it, or in a dry run the policy it starts with; all other settings are as given. */
function next({ config, phases, given, directory }: TrainAsked, folder: string | null): TrainAsked | null {
  const [phase, ...later] = phases.slice(1);
  if (phase === undefined) return null;
  const asked = laterConfig(given, { phase, ref: folder ?? config.policy, out: config.out });
  return {
    config: directory === null ? asked : fromDirectory('train', asked, directory),
    phases: [phase, ...later],
    given,
    drawn: [],
    directory,
  };
}

async function open(
  { config: asked, phases, given, drawn }: TrainAsked,
  continued: Continued | null,
  host: Host,
): Promise<Opened<TrainTypes>> {
  const policy = given.policy ?? asked.policy;
  const plan = await planTraining(asked, host, continued ? { ...continued, drawn, policy } : undefined);
  const { config } = plan;
  const { out: _place, ...placeless } = given;
  return {
    config,
    stored: storedConfig('train', config, {
      first: { phases },
      last: { given: placeless, drawn: plan.play.tasks().map(({ id }) => id) },
    }),
    phase: config.phase,
    versions: versionsOf(plan),
    space: spaceNeeded(storedSizes(plan.policy, plan.policy.learner)),
    notes: () => notesOf(plan),
    prepare: (folder) => plan.reference?.keep(folder, plan),
    expected: () => expectedTraining(plan),
    begin: async (work) =>
      training({ ...work, plan: await inTrial(plan, work.host), elsewhere: trainingWorkers(plan, work) }),
    dispose: plan.dispose,
  };
}

function notesOf({ policy: { model }, notes, play, offline, config }: TrainingPlan): readonly string[] {
  const what = offline
    ? `${counted(offline.data.length, 'sample')}, ${counted(config.dataset!.epochs, 'epoch')}`
    : `${counted(play.arriving ?? play.tasks().length, 'game')}, ${counted(config.play.rounds, 'round')}`;
  return [...(model ? [inUse(model)] : []), ...notes, what];
}

/** `1 game`, `2 games`. */
function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function updatesAt(point: RunWork['point']): number {
  return point === null ? 0 : trainingAt<DaggerState | OfflineState>(point).state.updates;
}

function training(work: Work): Training<TrainTypes> {
  const updates = updatesAt(work.point);
  work.elsewhere?.gradients.at(updates);
  return {
    updates,
    workers: work.elsewhere,
    evaluate: (when, kept) => evaluated(work, when, kept),
    train: () => trained(work),
  };
}

/** Evaluates the policy that training starts from, or has made; null without games. Errors: `interrupted`. */
async function evaluated(
  { plan, host, elsewhere }: Work,
  when: When,
  kept: KeptResult,
): Promise<EvaluationResult | null> {
  const { config, form, evaluated: play, language, parallelEvaluation: parallel } = plan;
  if (play.tasks().length === 0) return null;
  host.listener?.begin?.(`evaluation ${when}`, play.tasks().length);
  const policy = when === 'before' ? plan.before : plan.student;
  const subject = { env: config.env, policy: basename(config.policy), seed: config.seed };
  const workers = elsewhere?.part(when, play, policy === plan.student ? undefined : language!.reference!);
  const { texts } = plan.policy;
  const asked = { policy, texts, form, play, parallel, trainedOn: plan.trainedOn(), subject };
  return evaluateRun({ ...asked, elsewhere: workers }, { when, ...kept }, host);
}

async function trained(work: Work): Promise<Trained<Outcome>> {
  const { plan, run, point } = work;
  const probes = point ? metricsOf(run).filter(({ kind }) => kind === 'probe') : [];
  const { updates } = await (plan.offline ? trainOnDataset(work, probes) : trainOnGames(work, probes));
  const rounds = metricsOf(run).filter(({ kind }) => kind === 'round');
  const outcome = {
    firstProbe: probes[0] ?? null,
    lastProbe: probes.at(-1) ?? null,
    lastRound: rounds.at(-1) ?? null,
    repairs: rounds.reduce((sum, { repairs }) => sum + Number(repairs ?? 0), 0),
    games: plan.play.tasks().length,
  };
  return { outcome, updates, stopped: null, remarks: plan.leftOutTexts() };
}

function metricsOf({ folder }: Pick<Run, 'folder'>): MetricsLine[] {
  return readJournal(join(folder, layout.metrics)) as MetricsLine[];
}

type Versions = Readonly<Record<string, string>>;

/** Versions of programs and backends, and hashes of code, model and games. */
export function versionsOf({
  versions,
  play,
  offline,
  evaluated,
  teacher,
  environmentCode,
  methodCode,
  config,
}: Pick<
  TrainingPlan,
  'versions' | 'play' | 'offline' | 'evaluated' | 'teacher' | 'environmentCode' | 'methodCode' | 'config'
>): Versions {
  return {
    ...programVersions(),
    ...versions,
    games: play.fingerprint,
    ...(!isBuiltin(config.evaluation.on) && { 'eval-on': evaluated.fingerprint }),
    ...(teacher.code !== undefined && { expert: teacher.code }),
    ...(environmentCode !== null && { environment: environmentCode }),
    ...(methodCode !== null && { method: methodCode }),
    ...(offline && { data: offline.data.sha256 }),
    ...(offline?.validation && { val: offline.validation.sha256 }),
  };
}
