/** The parts and state of a GRPO run, and how it starts or resumes. */
import {
  EmacError,
  parametersOf,
  type Environment,
  type EpisodeMoment,
  type ParameterSet,
  type Policy,
  type Random,
  type Scorer,
  type TaskSource,
  type Trainable,
} from '@emac/core';
import { createOptimizer, type Optimizer, type OptimizerState } from '@emac/optim';
import type { Elsewhere, Rollout } from '@emac/rollout';
import type { Asking } from '../ahead.ts';
import type { RowsOf } from '../episode-order.ts';
import { resumedState, stopIfAsked } from '../run-state.ts';
import { versionsOf, type Versions, type VersionsAt } from '../versions.ts';
import type { NamedRewards, PlayedReward } from './attempt-rewards.ts';
import { requireTasks, type PlayedAttempt } from './attempts.ts';
import type { AttemptCredit } from './credits.ts';
import { checkGrpoSettings, type GrpoSettings } from './grpo-settings.ts';

/** Plays the attempts of an update in other processes, with these policy parameters. */
export type AttemptsElsewhere = (asked: AskedAttempts, asking: Asking) => Elsewhere;

export interface AskedAttempts {
  readonly update: number;
  /** 0, or the redraw of groups without spread, at most as many groups as before */
  readonly draw: number;
  readonly parameters: ParameterSet;
}

export interface Playing extends Pick<Rollout, 'texts' | 'maxSteps' | 'parallel' | 'report'> {
  /** a list, passed over repeatedly, or endless tasks, drawn by number */
  readonly tasks: TaskSource;
  /** Where the tasks are attempted; any number of episodes are under way in it. */
  readonly environment: Pick<Environment, 'begin'>;
  /** default `return` */
  readonly reward?: PlayedReward | NamedRewards;
  /** as in a rollout; default false */
  readonly stopRepeating?: boolean;
  /** the policy chooses among the commands that the environment accepts, and is trained on the probabilities of that choice; default false */
  readonly admissibleOnly?: boolean;
  /** cost of an answer that names no action the environment accepts, at least 0; default 0 */
  readonly invalidCost?: number;
  /** names the state at a moment, where steps are compared; default: what the policy sees of it */
  readonly anchor?: ((moment: EpisodeMoment) => string) | undefined;
  /** absent: attempts are played here */
  readonly elsewhere?: AttemptsElsewhere | undefined;
}

export interface GrpoRun {
  readonly settings: GrpoSettings;
  /** what is attempted, and what an attempt earns */
  readonly attempts: Playing;
  /** answers have at most `settings.losses.maxLength` tokens, by its own settings */
  readonly policy: Policy & Pick<Trainable, 'groups' | 'gradient' | 'commit'>;
  /** the reference of the k3 penalty, such as the policy with its adapter off; null if β is 0 */
  readonly reference: Pick<Scorer, 'score'> | null;
  readonly random: Random;
  /** `episodes`: every pass takes attempt after attempt, cut where a minibatch is full; default `steps` */
  readonly rows?: RowsOf;
  readonly metrics: (line: GrpoLine) => void | Promise<void>;
  /** called after each update, before its metrics, with all its attempts and what their steps were credited with */
  readonly learned?: (learned: LearnedAttempts) => void | Promise<void>;
  /** called before the first update and after each; the arrays are live: store or copy them before it returns */
  readonly checkpoint?: (checkpoint: GrpoCheckpoint) => void | Promise<void>;
  /** where to resume; parameters must be of the same moment */
  readonly resume?: GrpoCheckpoint;
  /** stops the run after the update under way, or while attempts of it are played */
  readonly signal?: AbortSignal;
}

/** The attempts of an update, group after group. */
export interface LearnedAttempts {
  readonly update: number;
  readonly attempts: readonly PlayedAttempt[];
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

export interface GrpoCheckpoint extends VersionsAt {
  readonly state: GrpoState;
  readonly optimizer: OptimizerState;
}

/** A run with its changing state. */
export interface RunningGrpo extends GrpoRun {
  readonly state: GrpoState;
  readonly optimizer: Optimizer;
  readonly versions: Versions;
}

/**
 * A run at its beginning, or at its checkpoint. Errors: `usage` for settings out of range, without tasks, or for β without a
 * reference; `data` if the checkpoint belongs to another run.
 */
export function beginGrpo(run: GrpoRun): RunningGrpo {
  const { settings, policy, reference, random, resume } = run;
  checkGrpoSettings(settings);
  requireTasks(run.attempts.tasks.count);
  requireReference(settings, reference);
  const fresh = firstState(random.path);
  const owner = { v: fresh.v, kind: fresh.kind, randomPath: random.path };
  return {
    ...run,
    state: resume ? resumedState(resume.state, owner) : fresh,
    optimizer: createOptimizer(policy.groups, settings.optimization, resume?.optimizer),
    versions: versionsOf(
      { live: parametersOf(policy), commit: () => policy.commit() },
      settings.optimization,
      resume,
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

/** Emits a checkpoint. Errors: `interrupted` once it was asked to stop. */
export async function saveGrpo(run: RunningGrpo): Promise<void> {
  const { state, optimizer, versions, checkpoint } = run;
  await checkpoint?.({
    state: structuredClone(state),
    optimizer: optimizer.state(),
    ...versions.earlier(),
  });
  stopIfAsked(run);
}
