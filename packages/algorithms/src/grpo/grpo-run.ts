/** The parts and state of a GRPO run, and how it starts or resumes. */
import {
  EmacError,
  parametersOf,
  type ParameterSet,
  type Policy,
  type Random,
  type Scorer,
  type Trainable,
} from '@emac/core';
import { createAdamW, type Optimizer, type OptimizerState } from '@emac/optim';
import type { RowsOf } from '../episode-order.ts';
import { versionsOf, type Versions } from '../versions.ts';
import type { AttemptSource, RewardedAttempt } from './attempts.ts';
import type { AttemptCredit } from './credits.ts';
import { checkGrpoSettings, type GrpoSettings } from './grpo-settings.ts';

export interface GrpoRun<A extends RewardedAttempt> {
  readonly settings: GrpoSettings;
  /** the training data: `answeredGroups`, `playedGroups` */
  readonly attempts: AttemptSource<A>;
  /** answers have at most `settings.losses.maxLength` tokens, by its own settings */
  readonly policy: Policy & Pick<Trainable, 'groups' | 'gradient' | 'commit'>;
  /** the reference of the k3 penalty, such as the policy with its adapter off; null if β is 0 */
  readonly reference: Pick<Scorer, 'score'> | null;
  readonly random: Random;
  /** `episodes`: every pass takes attempt after attempt, cut where a minibatch is full; default `steps` */
  readonly rows?: RowsOf;
  readonly metrics: (line: GrpoLine) => void | Promise<void>;
  /** called for every attempt after its update, group after group */
  readonly sample?: (attempt: A & { readonly update: number }) => void | Promise<void>;
  /** called after each update, before its metrics, with all its attempts and what their steps were credited with */
  readonly learned?: (learned: LearnedAttempts<A>) => void | Promise<void>;
  /** called before the first update and after each; the arrays are live: store or copy them before it returns */
  readonly checkpoint?: (checkpoint: GrpoCheckpoint) => void | Promise<void>;
  /** where to resume; parameters must be of the same moment */
  readonly resume?: GrpoCheckpoint;
  /** stops the run after the update under way, or while attempts of it are played */
  readonly signal?: AbortSignal;
}

/** The attempts of an update, group after group. */
export interface LearnedAttempts<A extends RewardedAttempt> {
  readonly update: number;
  readonly attempts: readonly A[];
  /** of each attempt */
  readonly credits: readonly AttemptCredit[];
}

/** One line of `metrics.jsonl`: no clock, path or process in it. Updates count from 0. */
export interface GrpoLine {
  readonly v: 1;
  readonly kind: 'update';
  readonly phase: 'grpo';
  readonly update: number;
  readonly [field: string]: string | number | null;
}

/**
 * The state of a run between two updates, as plain JSON: every random draw has a stream named by its place in the run.
 */
export interface GrpoState {
  readonly v: 1;
  readonly kind: 'grpo';
  /** seed and stream names of the run's generator */
  readonly randomPath: string;
  /** made so far */
  update: number;
  /** all steps of all attempts */
  answers: number;
  /** of all answers */
  tokens: number;
  /** optimizer steps */
  gradientSteps: number;
}

export interface GrpoCheckpoint {
  readonly state: GrpoState;
  readonly optimizer: OptimizerState;
  /** with stale answers: earlier versions of the policy needed for answers to come; oldest first */
  readonly earlier?: readonly ParameterSet[];
}

/** A run with its changing state. */
export interface RunningGrpo<A extends RewardedAttempt = RewardedAttempt> extends GrpoRun<A> {
  readonly state: GrpoState;
  readonly optimizer: Optimizer;
  readonly versions: Versions;
}

/**
 * A run at its beginning, or at its checkpoint. Errors: `usage` for settings out of range, or for β without a
 * reference; `data` if the checkpoint belongs to another run.
 */
export function beginGrpo<A extends RewardedAttempt>(run: GrpoRun<A>): RunningGrpo<A> {
  const { settings, policy, reference, random, resume } = run;
  checkGrpoSettings(settings);
  requireReference(settings, reference);
  if (resume) requireSameRun(resume.state, random.path);
  return {
    ...run,
    state: resume ? structuredClone(resume.state) : firstState(random.path),
    optimizer: createAdamW(policy.groups, settings.optimization, resume?.optimizer),
    versions: versionsOf(
      { live: parametersOf(policy), commit: () => policy.commit() },
      {
        limit: settings.optimization.maxStaleness ?? 0,
        made: resume?.state.update ?? 0,
        earlier: resume?.earlier ?? [],
      },
    ),
  };
}

function requireReference({ losses }: GrpoSettings, reference: object | null): void {
  if (losses.beta > 0 && !reference)
    throw new EmacError('usage', `--beta: ${losses.beta} needs a reference, and there is none`);
}

function firstState(randomPath: string): GrpoState {
  return { v: 1, kind: 'grpo', randomPath, update: 0, answers: 0, tokens: 0, gradientSteps: 0 };
}

function requireSameRun(state: GrpoState, randomPath: string): void {
  if ((state.v as number) === 1 && state.kind === 'grpo' && state.randomPath === randomPath) return;
  throw new EmacError(
    'data',
    `training state: must be of kind grpo, version 1 and "${randomPath}", got ${state.kind}, version ${state.v} and "${state.randomPath}"`,
  );
}

/** Emits a checkpoint. Errors: `interrupted` once it was asked to stop. */
export async function saveGrpo<A extends RewardedAttempt>(run: RunningGrpo<A>): Promise<void> {
  const { state, optimizer, versions, checkpoint, signal } = run;
  await checkpoint?.({
    state: structuredClone(state),
    optimizer: optimizer.state(),
    ...(versions.limit > 0 && { earlier: versions.earlier() }),
  });
  if (signal?.aborted)
    throw new EmacError('interrupted', 'training: stopped on request, resume from the last checkpoint');
}
