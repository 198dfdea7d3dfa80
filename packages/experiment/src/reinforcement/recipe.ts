/** PPO's part of a run's life. */
import { checkpointsWithLast } from '../life/checkpoint-due.ts';
import { basename } from 'node:path';
import {
  ppo,
  updatesOf,
  type Acting,
  type PpoCheckpoint,
  type PpoLine,
  type PpoState,
} from '@emac/algorithms';
import { Random } from '@emac/core';
import {
  exactly,
  sumOf,
  heard,
  openPpoPolicy,
  ppoCheckpointOf,
  ppoContent,
  storedBestOf,
  storedCohortsOf,
  storedSizes,
  warn,
  wordsNotes,
  type Expected,
  type Host,
  type PpoPolicy,
} from '@emac/opening';
import {
  fromDirectory,
  ppoSettingsOf,
  programVersions,
  stalenessNote,
  readStoredConfig,
  storedConfig,
  type PpoConfig,
} from '@emac/settings';
import { fewerTasks } from '../evaluation/evaluated-play.ts';
import { filmInSteps } from '../evaluation/film.ts';
import { bestSoFar, type BestSoFar } from '../life/best-return.ts';
import { cohortsOf } from '../life/cohorts.ts';
import {
  spaceNeeded,
  type Continued,
  type Finished,
  type KeptResult,
  type Opened,
  type Recipe,
  type Training,
  type Types,
  type When,
  type Work,
} from '../life/recipe.ts';
import { updatesTraining } from '../life/updates.ts';
import { trainedInUse } from '../training/resolved.ts';
import { actorInShards } from '../training/sharded-policy.ts';
import { evaluatedTasks, evaluatePpo, type PpoEvaluation } from './ppo-evaluation.ts';
import { expectedSteps, learnerOf, ppoParts, type PpoTrained } from './ppo-parts.ts';
import { ppoTraces } from './ppo-traces.ts';
import { ppoWorkers, type PpoWorkers } from './ppo-workers.ts';
import { openRating } from './stored-rater.ts';
import { requireStepsForWorkers } from './worker-policy.ts';

/** The start of a run. */
export interface PpoAsked {
  /** paths as typed: checkpoints hold them */
  readonly config: PpoConfig;
  /** paths resolved in this directory */
  readonly here: PpoConfig;
}

export interface PpoTypes extends Types {
  readonly command: 'ppo';
  readonly asked: PpoAsked;
  readonly config: PpoConfig;
  readonly evaluation: PpoEvaluation;
  /** the end of training */
  readonly outcome: Pick<PpoState, 'update' | 'environmentSteps' | 'episodes'>;
}

export type FinishedPpo = Finished<PpoTypes>;

export const ppoRecipe: Recipe<PpoTypes> = { command: 'ppo', read, open: openPpo, next: () => null };

function read(folder: string, directory: string): PpoAsked {
  const { config } = readStoredConfig(folder, 'ppo', ['phase']);
  return { config, here: fromDirectory('ppo', config, directory) };
}

/** Errors: those of the policy and its environment. */
export async function openPpo(
  { config: typed, here: asked }: PpoAsked,
  continued: Continued | null,
  host: Host,
): Promise<Opened<PpoTypes>> {
  if (host.workers) requireStepsForWorkers(asked);
  const random = Random.fromSeed(asked.seed).stream('start');
  const start = { random, from: continued?.point?.folder ?? asked.init };
  const { rate, versions } = await openRating(asked, host);
  const policy = await openPpoPolicy(asked, start, host);
  const trained = trainedInUse(asked.trained, policy.adapter);
  const [config, here] = [
    { ...typed, trained },
    { ...asked, trained },
  ];
  return {
    config,
    stored: storedConfig('ppo', config, { first: { phase: 'ppo' } }),
    phase: 'ppo',
    versions: {
      ...programVersions(),
      model: policy.identity,
      ...versions,
      ...policy.kind?.versions,
      ...(host.environment && { environment: host.environment.sha256 }),
    },
    space: spaceNeeded(storedSizes(policy, learnerOf(policy)), config.optimization.maxStaleness),
    notes: () => [
      ...(config.optimization.maxStaleness > 0 ? [stalenessNote('steps', config.optimization)] : []),
      `policy ${policy.model ? config.policy : policy.identity}`,
      ...(policy.note === null ? [] : [policy.note]),
      ...(policy.model && policy.kind?.numbered === null
        ? wordsNotes(policy.kind, { name: config.policy, files: policy.model.files })
        : []),
    ],
    begin: (work) => {
      const workers = ppoWorkers(work.run, { config: here, policy, start, host });
      return training({ ...work, ...inTrial({ config, policy, rate }, work.host), workers });
    },
    expected: () => expected(config, policy),
    dispose: () => policy.dispose(),
  };
}

function expected(config: PpoConfig, policy: PpoPolicy): Expected {
  const { play, env, evaluation } = config;
  const { environments, stepsPerUpdate, environmentSteps } = play;
  const updates = updatesOf(ppoSettingsOf(config), environments);
  const size = environments * stepsPerUpdate;
  return {
    ...expectedSteps({ config, policy }),
    of: `${environmentSteps} steps of ${env} in ${updates} updates of ${size}; ${evaluation.episodes} held-out episodes before and after`,
    size,
    together: environments,
    played: exactly(updates * size),
    heldOut: { episodes: evaluation.episodes, steps: null },
    checkpoints: {
      written: sumOf([exactly(1), checkpointsWithLast(config.checkpointEvery, updates)]),
      rounds: 0,
    },
  };
}

/** A trial's one update: in one environment if there are fewer steps than environments; the policy learns from the first. */
function inTrial(trained: PpoTrained, { trial }: Host): PpoTrained {
  if (!trial) return trained;
  const { config, policy } = trained;
  const { play, optimization, evaluation } = config;
  const environments = Math.min(play.environments, trial.size);
  const stepsPerUpdate = Math.min(play.stepsPerUpdate, Math.floor(trial.size / environments));
  const environmentSteps = environments * stepsPerUpdate;
  return {
    ...trained,
    config: {
      ...config,
      play: { ...play, environments, stepsPerUpdate, environmentSteps },
      optimization: { ...optimization, valueInitSteps: 0 },
      evaluation: { ...evaluation, episodes: Math.min(evaluation.episodes, trial.episodes) },
    },
    policy: { ...policy, actorCritic: heard(policy.actorCritic, trial) },
  };
}

interface PpoWork extends Work, PpoTrained {
  /** null if this process plays itself */
  readonly workers: PpoWorkers | null;
}

function training(work: PpoWork): Training<PpoTypes> {
  const { config, policy, run, point, host, workers } = work;
  const settings = ppoSettingsOf(config);
  const { environments, environmentSteps } = config.play;
  const resume = point && ppoCheckpointOf(point.checkpoint);
  const cohorts = cohortsOf(environments, point && storedCohortsOf(point.checkpoint));
  const best = bestSoFar(config.best, cohorts, point && storedBestOf(point.checkpoint));
  const done = Math.min(environmentSteps, resume?.state.environmentSteps ?? 0);
  return updatesTraining<PpoTypes, PpoCheckpoint>(work, {
    resume,
    checkpointEvery: config.checkpointEvery,
    last: updatesOf(settings, environments),
    best,
    workers,
    progress: { total: environmentSteps, done, noun: 'step' },
    content: (moment) => ppoContent(moment, { config, policy, best: best.state, cohorts: cohorts.state }),
    evaluate: (when, kept) => evaluated(work, when, kept),
    train: (method) =>
      ppo({
        ...ppoParts(work, host.memory),
        ...ppoTraces(work, { config, policy, state: resume?.state ?? null }),
        ...method,
        rows: config.model.rows,
        actorCritic: actorInShards(policy.actorCritic, {
          count: config.optimization.gradientShards,
          each: workers?.gradients.each ?? null,
        }),
        ...actingOf(policy, run.folder),
        ...(workers && { elsewhere: workers.steps }),
        episode: (episode) => best.episode(episode),
        metrics: (line) => {
          warnWithoutRatings(config, line, host);
          method.metrics(line);
        },
        isOver: () => best.isOver,
      }),
    remarks: (state) => [...withoutLearning(config, state), ...bestBehind(best, run.folder)],
  });
}

/** Before and after on the same episodes. */
async function evaluated(
  { config, policy, host, workers }: PpoWork,
  when: When,
  { checkpoint, journal, traces, film }: KeptResult,
): Promise<PpoEvaluation | null> {
  const { attempts = 1 } = config.evaluation;
  const tasks = evaluatedTasks(config, policy);
  const episodes = tasks.length * attempts;
  if (episodes === 0) return null;
  const fewer = fewerTasks(config.env, episodes / attempts, config.evaluation.episodes);
  if (fewer !== null && when === 'before') host.listener?.note?.(fewer);
  const random = Random.fromSeed(config.seed).stream('evaluation');
  host.listener?.begin?.(`evaluation ${when}`, episodes, { noun: 'episode' });
  return evaluatePpo({
    config,
    policy,
    random,
    checkpoint,
    journal: journal(),
    traces,
    ...(film !== undefined && { watch: filmInSteps(film, tasks[0]!) }),
    host,
    // workers tell no steps
    ...(workers && !traces && { elsewhere: workers.scores(when, random) }),
  });
}

/** Critic-only updates leave the policy unchanged. */
function withoutLearning(
  { optimization: { valueInitSteps } }: PpoConfig,
  { update }: Pick<PpoState, 'update'>,
): readonly string[] {
  if (update > valueInitSteps) return [];
  const all = update === 1 ? 'its one update' : `all ${update} updates`;
  return [
    `the policy did not learn: ${all} trained the critic alone (--value-init-steps ${valueInitSteps}); give more --steps, or a smaller --value-init-steps`,
  ];
}

/** Reports a newest policy that is far better than the best checkpoint. */
function bestBehind({ behind }: BestSoFar, folder: string): readonly string[] {
  if (behind === null || behind < 0.25) return [];
  const share = Math.round(behind * 100);
  return [
    `the newest episodes returned more than the episodes of ${folder}@best, by ${share} % of the range of returns; compare both with emac eval`,
  ];
}

/** A dataset with other pictures has no effect, which would look like useless ratings. */
function warnWithoutRatings(
  { utilities }: PpoConfig,
  { update, rated_share: share }: PpoLine,
  { listener }: Host,
): void {
  if (utilities === null || update > 0 || share !== 0) return;
  warn(
    listener,
    `--utility-data ${utilities}: matches no picture and action of the first update, so no step is rated; see rated_share in metrics.jsonl`,
  );
}

/** A server that answers for the policy must know when it acts. */
function actingOf({ elsewhere }: PpoPolicy, folder: string): { readonly acting?: Acting } {
  if (!elsewhere) return {};
  const name = basename(folder);
  return { acting: { begin: (update) => elsewhere.begin(name, update), end: () => elsewhere.end() } };
}
