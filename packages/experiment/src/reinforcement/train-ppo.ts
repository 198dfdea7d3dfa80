/** Reinforcement learning as a program calls it: a run from start to end, or gone on with. Evaluated before and after on held-out episodes. */
import { basename, dirname, resolve } from 'node:path';
import {
  ppo,
  updatesOf,
  type Acting,
  type EpisodeChoice,
  type PpoCheckpoint,
  type PpoLine,
  type PpoState,
} from '@emac/algorithms';
import { openModelFiles } from '@emac/backbone';
import { EmacError, Random } from '@emac/core';
import { failpoint, isThere, requireSpace } from '@emac/files';
import type { StepRater } from '@emac/rollout';
import { createRun, holdRun, isDone, type ResumePoint, type Run } from '@emac/runs';
import {
  isModelPolicy,
  ppoConfig,
  ppoSettingsOf,
  type GivenPpoConfig,
  type PpoConfig,
} from '../config/ppo-config.ts';
import { stalenessNote } from '../config/max-staleness.ts';
import { pathFrom } from '../config/stored-config.ts';
import { version } from '../config/version.ts';
import { plainHost, timesOf, warn, type Host, type Times } from '../host.ts';
import { requireFittingInference } from '../inference/fitting-inference.ts';
import { modelPath } from '../opening/model.ts';
import { codeHash } from '../training/code-hash.ts';
import { openedFor, runEnded } from '../training/run-end.ts';
import { requireSameVersions } from '../training/run-versions.ts';
import { actorInShards } from '../training/sharded-policy.ts';
import { requireStepsForWorkers } from '../workers/step-plan.ts';
import { ppoWorkers, trainingRandom, type PpoWorkers } from './ppo-workers.ts';
import { ppoCheckpointOf, ppoContent, storedBestOf } from './ppo-checkpoint.ts';
import { openEnvironment, ppoEnvironment } from './ppo-environments.ts';
import { evaluatePpo, requireEpisodes, type PpoEvaluation } from './ppo-evaluation.ts';
import { requireFittingPpo } from './fitting-settings.ts';
import { ppoConfigFormat, storedPpoConfig } from './stored-config.ts';
import { storedEvaluation, storeEvaluation } from './stored-evaluations.ts';
import { requirePresetOf } from './needed-preset.ts';
import { openPpoPolicy } from './open-ppo-policy.ts';
import { spaceNeeded } from './ppo-space.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';
import { bestSoFar, type BestSoFar } from './best-return.ts';
import { curriculumChoice } from './curriculum-choice.ts';
import { environmentTasks, tasksIn } from './environment-tasks.ts';
import { isRobotId, robotTasks, type StepAction } from './robots.ts';
import { scriptedRater } from './scripted-rater.ts';
import { storedRater } from './stored-rater.ts';

export interface FinishedPpo {
  readonly folder: string;
  /** every setting with the value in use */
  readonly config: PpoConfig;
  /** null where no episode was to be evaluated */
  readonly before: PpoEvaluation | null;
  readonly after: PpoEvaluation | null;
  /** where training ended */
  readonly state: Pick<PpoState, 'update' | 'environmentSteps' | 'episodes'>;
  /** milliseconds that each part took, in this process */
  readonly spent: ReadonlyMap<string, number>;
  readonly wasResumed: boolean;
}

interface PpoWork {
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  readonly run: Run;
  readonly point: ResumePoint | null;
  readonly host: Host;
  readonly times: Times;
  /** null where nothing is rated */
  readonly rate: StepRater | null;
  /** null where this process plays itself */
  readonly workers: PpoWorkers | null;
}

/** Trains in a new run folder. Errors before that is made leave nothing behind; later ones are `RunError`s. */
export async function trainPpo(given: GivenPpoConfig, host: Host = plainHost()): Promise<FinishedPpo> {
  const times = timesOf(host.now);
  const config = ppoConfig(given);
  requireFittingPpo(config);
  requireEpisodes(config);
  requireFittingInference(config);
  if (host.workers) requireStepsForWorkers(config);
  if (isModelPolicy(config)) {
    const { policy } = config;
    requirePresetOf(openModelFiles(modelPath(policy)), { policy, preset: given.preset });
  }
  const rating = await times.part('opening', () => openRating(config, host));
  const start = startOf(config);
  const policy = await times.part('opening', () => openPpoPolicy(config, start, host));
  try {
    const { out, seed, keep, ...settings } = config;
    const run = createRun({
      out,
      seed,
      keep,
      phase: 'ppo',
      config: { v: ppoConfigFormat, command: 'ppo', phase: 'ppo', seed, keep, ...settings },
      versions: { ...versionsOf(policy), ...rating.versions },
      now: () => new Date(host.now()),
      prepare: (folder) => requireSpace(dirname(folder), spaceNeeded(policy, config)),
    });
    const { rate } = rating;
    const workers = openedFor(run, () => ppoWorkers(run, { config, policy, start, host }));
    return await carriedOut({ config, policy, run, point: null, host, times, rate, workers }, false);
  } finally {
    await policy.dispose();
  }
}

export interface ResumePpoOptions extends Host {
  /** other code is no obstacle; default false */
  readonly allowDrift?: boolean;
}

/** Goes on with a run that was stopped or killed, to the bytes that it would have ended in; null for one that is finished. Errors: `missing`, `config`, `data`, `cannot-create`; `RunError`. */
export async function resumePpo(
  folder: string,
  host: ResumePpoOptions = plainHost(),
): Promise<FinishedPpo | null> {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: is not there`);
  if (isDone(folder)) return null;
  const times = timesOf(host.now);
  const held = holdRun(folder);
  for (const damage of held.damage) warn(host.listener, `passed over: ${damage}`);
  let policy: PpoPolicy | undefined;
  let work: PpoWork;
  try {
    const { record, point } = held;
    const config = storedPpoConfig(folder);
    const there = fromDirectory(config, record.workingDirectory);
    if (host.workers) requireStepsForWorkers(there);
    const start = { ...startOf(there), ...(point && { from: point.folder }) };
    const rating = await times.part('opening', () => openRating(there, host));
    const opened = await times.part('opening', () => openPpoPolicy(there, start, host));
    policy = opened;
    const versions = { ...versionsOf(opened), ...rating.versions };
    requireSameVersions(folder, { before: record.versions, now: versions }, host.allowDrift ?? false);
    requireSpace(folder, spaceNeeded(opened, there));
    const run = held.goOn({ versions, now: () => new Date(host.now()), keep: config.keep });
    const workers = ppoWorkers(run, { config: there, policy: opened, start, host });
    work = { config, policy: opened, run, point, host, times, rate: rating.rate, workers };
  } catch (thrown) {
    held.release();
    await policy?.dispose();
    throw thrown;
  }
  try {
    return await carriedOut(work, true);
  } finally {
    await policy.dispose();
  }
}

/** Its paths as they were meant where the run began. */
function fromDirectory(config: PpoConfig, directory: string): PpoConfig {
  const { init, policy, utilities, inference } = config;
  const { adapters } = inference;
  return {
    ...config,
    inference: { ...inference, adapters: adapters === null ? null : resolve(directory, adapters) },
    policy: isModelPolicy(config) ? pathFrom(policy, directory) : policy,
    init: init === null ? null : pathFrom(init, directory),
    utilities: utilities === null ? null : pathFrom(utilities, directory),
  };
}

function startOf({ init, seed }: PpoConfig): PolicyStart {
  return { random: Random.fromSeed(seed).stream('start'), from: init };
}

function versionsOf({ identity }: PpoPolicy): Readonly<Record<string, string>> {
  return { emac: version, code: codeHash(), node: process.version, model: identity };
}

/** Who rates steps, and what a run that goes on has to find again. Errors: `usage`, `missing`, `io`, `data`. */
async function openRating(
  { env, utilities, shaping, play }: PpoConfig,
  { listener }: Host,
): Promise<{ readonly rate: StepRater | null; readonly versions: Readonly<Record<string, string>> }> {
  if (shaping.utility === null && utilities === null) return { rate: null, versions: {} };
  if (isRobotId(env))
    throw new EmacError('usage', `--utility: nobody rates the steps of ${env}; leave it out`);
  if (utilities === null) return { rate: scriptedRater(env), versions: {} };
  if (shaping.utility === null)
    throw new EmacError('usage', '--utility-data: belongs to --utility, which was not given');
  const palette = play.palette === 'true' ? null : play.palette;
  const seer = openEnvironment(env, { palette, maxSteps: play.maxSteps });
  const { rate, sha256, pictures } = await storedRater(utilities, { seer, palette: play.palette });
  listener?.note?.(`${pictures} pictures of ${utilities} have ratings`);
  return { rate, versions: { utilities: sha256 } };
}

async function carriedOut(work: PpoWork, wasResumed: boolean): Promise<FinishedPpo> {
  const { config, run, point, host, times } = work;
  const note = (line: string) => host.listener?.note?.(line);
  try {
    host.listener?.run?.(run.folder);
    note(`run ${run.folder}${point ? `, from checkpoint ${point.step}` : ''}`);
    if (config.optimization.maxStaleness > 0) note(stalenessNote('steps', config.optimization));
    note(`policy ${isModelPolicy(config) ? config.policy : work.policy.identity}`);
    const before = await times.part('evaluation before', () => evaluatedBefore(work));
    const state = await times.part('training', () => trained(work));
    const after = await times.part('evaluation after', () => evaluated(work, 'after'));
    await work.workers?.agreed(state.update);
    run.finish(after ? { evaluation: after } : {});
    await work.workers?.forget(state.update);
    host.listener?.end?.();
    return { folder: run.folder, config, before, after, state, spent: times.spent, wasResumed };
  } catch (thrown) {
    host.listener?.end?.();
    throw runEnded(run, thrown);
  }
}

/** A run that has learned something has no policy of before any more. */
async function evaluatedBefore(work: PpoWork): Promise<PpoEvaluation | null> {
  const { run, point } = work;
  const known = storedEvaluation<PpoEvaluation>(run.folder, 'before');
  if (known || point) return known;
  const result = await evaluated(work, 'before');
  if (result) storeEvaluation(run.folder, 'before', result);
  return result;
}

/** Both on the same episodes. */
function evaluated(work: PpoWork, when: 'before' | 'after'): Promise<PpoEvaluation | null> {
  const { config, policy, host, workers } = work;
  const { episodes } = config.evaluation;
  if (episodes > 0) host.listener?.begin?.(`evaluation ${when}`, episodes, { noun: 'episode' });
  const random = Random.fromSeed(config.seed).stream('evaluation');
  return evaluatePpo({
    config,
    policy,
    random,
    checkpoint: when === 'before' ? 'start' : 'latest',
    host,
    ...(workers && { elsewhere: workers.scores(when, random) }),
  });
}

function trained(work: PpoWork): Promise<PpoState> {
  const { config, policy, run, point, host, rate, workers } = work;
  const settings = ppoSettingsOf(config);
  const { environments, environmentSteps } = config.play;
  const resume = point && ppoCheckpointOf(point.checkpoint);
  const last = updatesOf(settings, environments);
  const best = bestSoFar(config.best, point && storedBestOf(point.checkpoint));
  if (resume) workers?.gradients.at(resume.state.update);
  host.listener?.begin?.('training', environmentSteps, {
    done: Math.min(environmentSteps, resume?.state.environmentSteps ?? 0),
    noun: 'step',
  });
  return ppo({
    settings,
    actorCritic: actorInShards(policy.actorCritic, {
      count: config.optimization.gradientShards,
      each: workers?.gradients.each ?? null,
    }),
    environments: Array.from({ length: environments }, () => ppoEnvironment(config)),
    texts: policy.texts,
    // of environments whose actions are numbers: no other is rated
    ...(rate && { rate: rate as StepRater<StepAction> }),
    ...(policy.predictor && { predictor: policy.predictor }),
    ...choiceOf(config),
    ...actingOf(work),
    ...(workers && { elsewhere: workers.steps }),
    random: trainingRandom(config),
    metrics: (told) => {
      best.update(told);
      run.metrics(told);
      warnWithoutRatings(work, told);
      host.listener?.reinforced?.(told);
      failpoint('updating');
    },
    checkpoint: (moment) => {
      keepMoment(work, moment, { best, last });
      workers?.gradients.at(moment.state.update);
    },
    isOver: () => best.isOver,
    ...(host.signal && { signal: host.signal }),
    ...(resume && { resume }),
  });
}

/** A dataset of other pictures changes nothing, and would be taken for one that helps nothing. */
function warnWithoutRatings(
  { config: { utilities }, host }: Pick<PpoWork, 'config' | 'host'>,
  { update, rated_share: share }: PpoLine,
): void {
  if (utilities === null || update > 0 || share !== 0) return;
  warn(
    host.listener,
    `--utility-data ${utilities}: has the picture and the action of no step of the first update, so that nothing is rated; rated_share in metrics.jsonl says how it goes on`,
  );
}

/** Which tasks are played, where a curriculum decides. Errors: `usage` for an environment without tasks. */
function choiceOf(config: PpoConfig): { readonly choice?: EpisodeChoice } {
  const { env, seed, curriculum } = config;
  const { formula, temperature, tasks: _names, ...settings } = curriculum;
  if (formula === null) return {};
  const random = Random.fromSeed(seed).stream('curriculum');
  const given = { formula, ...settings, ...(temperature !== null && { temperature }) };
  const tasks = tasksIn(config);
  return { choice: curriculumChoice(tasks ? environmentTasks(tasks) : robotTasks(env), given, random) };
}

/** A server that answers in the policy's place has to know when it acts. */
function actingOf({ policy: { elsewhere }, run }: PpoWork): { readonly acting?: Acting } {
  if (!elsewhere) return {};
  const name = basename(run.folder);
  return { acting: { begin: (update) => elsewhere.begin(name, update), end: () => elsewhere.end() } };
}

interface Kept {
  readonly best: BestSoFar;
  /** updates of the run */
  readonly last: number;
}

/** Every so many updates, after the last, where an average of returns is the best so far, and where the run was asked to stop. */
function keepMoment(work: PpoWork, moment: PpoCheckpoint, { best, last }: Kept): void {
  const { config, run, host } = work;
  const { update } = moment.state;
  const isDue =
    update % config.checkpointEvery === 0 || update === last || (update > 0 && (best.isBest || best.isOver));
  if (!isDue && !host.signal?.aborted) return;
  run.checkpoint(ppoContent(moment, { ...work, best: best.state }), { loss: best.loss, isExtra: !isDue });
}
