/** GRPO's part of a run's life: in the Lewis game, or with attempts at an environment's tasks. */
import { checkpointsWithLast } from '../life/checkpoint-due.ts';
import { basename, dirname, join, resolve } from 'node:path';
import {
  grpo,
  groupMethodName,
  type GrpoCheckpoint,
  type GrpoSettings,
  type GrpoState,
  type LearnedAttempts,
} from '@emac/algorithms';
import { Random } from '@emac/core';
import type { ReplyJournal } from '@emac/expert';
import { isThere } from '@emac/files';
import {
  checkpointContent,
  exactly,
  sumOf,
  expectedPolicy,
  grpoCheckpointOf,
  grpoProgress,
  heard,
  isAddress,
  onlyPlay,
  repliesOf,
  storedSizes,
  type Expected,
  type Host,
  type PolicyStart,
} from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import { readRecord } from '@emac/runs';
import {
  fromDirectory,
  grpoSettingsOf,
  programVersions,
  readStoredConfig,
  stalenessNote,
  storedConfig,
  ofOneRole,
  untrained,
  type GrpoRunConfig,
  type LewisRole,
} from '@emac/settings';
import { attemptRecord, isRecorded } from '../groups/attempt-record.ts';
import { attemptTraces } from '../groups/attempt-traces.ts';
import { openEnvironmentPlay } from '../groups/environment-play.ts';
import type { GroupPlay, GroupWorkers } from '../groups/group-play.ts';
import type { LewisEvaluation } from '../lewis/lewis-evaluation.ts';
import { openLewisPlay } from '../lewis/lewis-play.ts';
import { newestReward } from '../life/best-return.ts';
import { storedEvaluation } from '../life/evaluations.ts';
import { spaceNeeded, type Continued, type Finished, type KeptResult } from '../life/recipe.ts';
import type { Opened, Recipe, Training, Types, When, Work } from '../life/recipe.ts';
import { updatesTraining } from '../life/updates.ts';
import { runTraces } from '../logs/run-traces.ts';
import { tracedPictures } from '../logs/traced-pictures.ts';
import { trainedInUse } from '../training/resolved.ts';
import { inShards } from '../training/sharded-policy.ts';

/** The start of a run. */
export interface GrpoAsked {
  /** paths as typed: checkpoints hold them */
  readonly config: GrpoRunConfig;
  /** its paths as they are here */
  readonly here: GrpoRunConfig;
  /** the requested trained parts; each turn completes them from its start */
  readonly trained: GrpoRunConfig['trained'];
}

export interface GrpoTypes extends Types {
  readonly command: 'grpo';
  readonly asked: GrpoAsked;
  readonly config: GrpoRunConfig;
  readonly evaluation: EvaluationResult | LewisEvaluation;
  /** the end of training */
  readonly outcome: Pick<GrpoState, 'update' | 'answers' | 'tokens'>;
}

export type FinishedGrpo = Finished<GrpoTypes>;

export const grpoRecipe: Recipe<GrpoTypes> = { command: 'grpo', read, open: openGrpo, next };

/** A run started in this directory. */
export function askedHere(config: GrpoRunConfig): GrpoAsked {
  return { config, here: config, trained: config.trained };
}

function read(folder: string, directory: string): GrpoAsked {
  const { config, kept } = readStoredConfig(folder, 'grpo', ['phase', 'given']);
  const { trained = config.trained } = (kept['given'] ?? {}) as Partial<Pick<GrpoRunConfig, 'trained'>>;
  const run = ofOneRole(config);
  return { config: run, here: movedHere(run, directory), trained };
}

const movedHere = (config: GrpoRunConfig, directory: string) =>
  ofOneRole(fromDirectory('grpo', config, directory));

/**
 * The next turn: the other role trains against this run, from its own newest run. Null after the last, and for a run of
 * one role.
 */
function next({ config: asked, trained }: GrpoAsked, folder: string | null): GrpoAsked | null {
  if (folder === null) return null;
  const config = movedHere(asked, readRecord(folder).workingDirectory);
  const { turn, turns, role, seed } = config;
  if (turn === null || turn + 1 >= turns) return null;
  const other: LewisRole = role === 'listener' ? 'speaker' : 'listener';
  const before = beside(config[other], folder);
  return askedHere({
    ...config,
    trained,
    role: other,
    turn: turn + 1,
    seed: seed + 1,
    init: isTrained(before) ? before : null,
    listener: role === 'listener' ? folder : before,
    speaker: role === 'speaker' ? folder : before,
    out: dirname(resolve(folder)),
  });
}

/** True for a name that leads to parameters: a run, a checkpoint, an adapter. */
function isTrained(name: string): boolean {
  return name !== untrained && name !== 'true' && !isAddress(name);
}

/** A run of the chain beside the others, even if the chain was moved. */
function beside(name: string, folder: string): string {
  const there = join(dirname(resolve(folder)), basename(name));
  return isTrained(name) && !isThere(name) && isThere(there) ? there : name;
}

/** Errors: those of the policy, its environment and its partner. */
export async function openGrpo(
  { config: typed, here: asked, trained: given }: GrpoAsked,
  continued: Continued | null,
  host: Host,
): Promise<Opened<GrpoTypes>> {
  const random = Random.fromSeed(asked.seed).stream('start');
  const start = { random, from: continued?.point?.folder ?? asked.init, typed: typed.policy };
  const play = await openedPlay(asked, start, host);
  const { policy } = play;
  const trained = trainedInUse(asked.trained, policy.adapter);
  const config = { ...typed, trained };
  return {
    config,
    stored: storedConfig('grpo', config, {
      first: { phase: 'grpo' },
      // a later turn completes them from its own start
      ...(config.turn !== null && { last: { given: { trained: given } } }),
    }),
    phase: 'grpo',
    method: groupMethodName(config.losses),
    versions: {
      ...programVersions(),
      model: policy.identity,
      ...play.versions,
      ...(host.environment && { environment: host.environment.sha256 }),
      ...(host.reward && { reward: host.reward.sha256 }),
    },
    space: spaceNeeded(storedSizes(policy, policy.learner), config.optimization.maxStaleness),
    notes: () => [
      play.name,
      ...(play.notes ?? []),
      ...(policy.note === null ? [] : [policy.note]),
      ...(config.optimization.maxStaleness > 0 ? [stalenessNote('answers', config.optimization)] : []),
    ],
    begin: async (work) => {
      const workers = play.workers(work.run);
      return training({ ...work, config, play, workers, replies: await journalOf(play, work) });
    },
    expected: () => expected(play, config),
    dispose: () => play.dispose(),
  };
}

function openedPlay(config: GrpoRunConfig, start: PolicyStart, host: Host): Promise<GroupPlay> {
  const { role } = config;
  if (role !== null) return openLewisPlay({ ...config, role }, start, host);
  return openEnvironmentPlay(config, start, host);
}

function expected(play: GroupPlay, config: GrpoRunConfig): Expected {
  const { updates, promptsPerUpdate, groupSize } = grpoSettingsOf(config, play.tasks).play;
  const size = promptsPerUpdate * groupSize;
  return {
    ...onlyPlay,
    of: `${play.name}: ${updates} updates of ${size} attempts, ${promptsPerUpdate} groups of ${groupSize}; ${play.heldOut} held-out tasks before and after`,
    policy: expectedPolicy(play.policy, play.policy.learner),
    noun: 'attempt',
    size,
    together: Math.min(play.together, size),
    played: exactly(updates * size),
    heldOut: { episodes: play.heldOut, steps: null },
    maxSteps: 1,
    checkpoints: {
      written: sumOf([exactly(1), checkpointsWithLast(config.checkpointEvery, updates)]),
      rounds: 0,
    },
  };
}

/** A trial's one update: as many whole groups as fit; if none fits, one smaller group of at least two attempts. */
function inTrial(settings: GrpoSettings, { trial }: Host): GrpoSettings {
  if (!trial) return settings;
  const { play } = settings;
  const size = Math.min(trial.size, play.promptsPerUpdate * play.groupSize);
  const groupSize = Math.max(2, Math.min(play.groupSize, size));
  const promptsPerUpdate = Math.max(1, Math.floor(size / groupSize));
  trial.attempting(promptsPerUpdate * groupSize);
  return { ...settings, play: { ...play, updates: 1, promptsPerUpdate, groupSize } };
}

interface GrpoWork extends Work {
  readonly config: GrpoRunConfig;
  readonly play: GroupPlay;
  /** of a service; null without one */
  readonly replies: ReplyJournal | null;
  /** null if this process does everything */
  readonly workers: GroupWorkers | null;
}

/** Opens the journal of a service's replies: those after the run's checkpoint are given out again, or before any those after its first evaluation. */
async function journalOf(play: GroupPlay, { run, point, open: closing }: Work): Promise<ReplyJournal | null> {
  if (!play.journal) return null;
  const { openReplyJournal, readReplies } = await import('@emac/expert');
  const path = run.languageModelJournal;
  const lines = isThere(path) ? readReplies(path) : [];
  const isEvaluated = storedEvaluation(run.folder, 'before') !== null;
  const replies = isEvaluated ? lines.length : 0;
  const from = (point && repliesOf(point.checkpoint)) ?? { replies, tokens: 0 };
  const opened = openReplyJournal(path, { from });
  closing.add(() => opened.close());
  play.journal.open(opened, lines.slice(0, from.replies));
  return opened;
}

function training(work: GrpoWork): Training<GrpoTypes> {
  const { config, play, point, host, workers, replies } = work;
  const settings = inTrial(grpoSettingsOf(config, play.tasks), host);
  const { updates: last } = settings.play;
  const resume = point && grpoCheckpointOf(point.checkpoint);
  const traces = runTraces(work, config);
  const pictures = traces && tracedPictures(work.run);
  const learner = heard(play.policy.learner, host.trial);
  return updatesTraining<GrpoTypes, GrpoCheckpoint>(work, {
    resume,
    checkpointEvery: config.checkpointEvery,
    last,
    best: newestReward(),
    workers,
    progress: { total: last, done: resume?.state.update ?? 0, noun: 'update' },
    content: ({ state, optimizer: { step, tensors }, earlier }) =>
      checkpointContent(play.policy, {
        step: grpoProgress(state),
        state,
        optimizer: { tensors, steps: { step } },
        earlier,
        ...(play.beside && { beside: play.beside({ config, replies: replies?.position() ?? null }) }),
      }),
    evaluate: (when, kept) => evaluated(work, when, kept),
    train: (method) =>
      grpo({
        ...method,
        settings,
        attempts: play.attempts(),
        policy: inShards(pictures?.ofPolicy(learner) ?? learner, {
          count: config.optimization.gradientShards,
          each: workers?.gradients.each ?? null,
        }),
        reference: play.policy.reference,
        rows: config.model.rows,
        random: Random.fromSeed(config.seed).stream('training'),
        learned: (learned) => {
          for (const line of pictures ? attemptTraces(learned, pictures.fileOf) : []) traces!.append(line);
          tellLearned(work, learned, last);
        },
      }),
  });
}

/** Tells every answer with the solution of its task; some updates are recorded. */
function tellLearned({ play, host, run }: GrpoWork, learned: LearnedAttempts, updates: number): void {
  const { update, attempts } = learned;
  for (const { steps, trajectory, reward, rewards } of attempts) {
    const content = steps.map(({ answer }) => answer.text).join('\n');
    host.listener?.answered?.({
      update,
      reward,
      rewards,
      content,
      solution: play.solutionOf(trajectory.task),
    });
  }
  if (play.isRecorded && isRecorded(update, updates)) run.attempt(update, attemptRecord(learned).lines);
}

/** Before and after on the same tasks. */
async function evaluated(
  { play, host, config }: GrpoWork,
  when: When,
  kept: KeptResult,
): Promise<GrpoTypes['evaluation'] | null> {
  const { heldOut } = play;
  const { episodes: most = heldOut } = host.trial ?? {};
  if (Math.min(heldOut, most) === 0) return null;
  host.listener?.begin?.(`evaluation ${when}`, heldOut, { noun: 'game' });
  return play.evaluate(when, { ...kept, most, config }, host);
}
