/** What a run of GRPO is made of, where it stands, and how it begins or goes on. */
import {
  EmacError,
  parametersOf,
  type Answer,
  type ParameterSet,
  type Policy,
  type Prompt,
  type Random,
  type Scorer,
  type Trainable,
} from '@emac/core';
import { createAdamW, type Optimizer, type OptimizerState } from '@emac/optim';
import type { Asking } from '../ahead.ts';
import { versionsOf, type Versions } from '../versions.ts';
import { checkGrpoSettings, type GrpoSettings } from './grpo-settings.ts';

/** What is asked; rewards may read more of it than the prompt. */
export interface GrpoTask {
  readonly prompt: Prompt;
}

/** Tasks by number, from 0; read when their turn comes. */
export interface GrpoTasks<T> {
  readonly count: number;
  at(place: number): T | Promise<T>;
}

/** What an answer to a task is worth. All answers of an update are asked about at once; what cannot be told is thrown. */
export type Reward<T> = (task: T, completion: string) => number | Promise<number>;

export interface GrpoSample<T> {
  readonly task: T;
  /** number of the task among all */
  readonly place: number;
  readonly answer: Answer;
  /** the sum */
  readonly reward: number;
  /** by name */
  readonly rewards: Readonly<Record<string, number>>;
}

/** The prompts of an update, as they are asked of others. */
export interface AskedAnswers {
  /** from 0 */
  readonly update: number;
  readonly temperature: number;
  /** what the policy has to be there: everything that learns */
  readonly parameters: ParameterSet;
  /** of prompts that are asked about together */
  readonly groups: readonly (readonly AskedPrompt[])[];
}

export interface AskedPrompt {
  readonly prompt: Prompt;
  /** seed and names of what each answer is drawn with */
  readonly randoms: readonly string[];
}

/** Answers to every group, prompt after prompt. Errors end the run there. */
export type AnswersElsewhere = (
  asked: AskedAnswers,
  asking: Asking,
) => Promise<readonly (readonly Answer[])[]>;

export interface GrpoRun<T extends GrpoTask> {
  readonly settings: GrpoSettings;
  /** answers have at most `settings.losses.maxLength` tokens, by its own settings */
  readonly policy: Policy & Pick<Trainable, 'groups' | 'gradient' | 'commit'>;
  /** what k3 is measured from, such as the policy with its adapter off; null where β is 0 */
  readonly reference: Pick<Scorer, 'score'> | null;
  readonly tasks: GrpoTasks<T>;
  /** summed without weights; named in metrics */
  readonly rewards: Readonly<Record<string, Reward<T>>>;
  readonly random: Random;
  readonly metrics: (line: GrpoLine) => void | Promise<void>;
  /** hears of every answer after its update, groups one after another */
  readonly sample?: (sample: GrpoSample<T> & { readonly update: number }) => void | Promise<void>;
  /** called before the first update and after each; the arrays are live: store or copy them before it returns */
  readonly checkpoint?: (checkpoint: GrpoCheckpoint) => void | Promise<void>;
  /** where to go on; parameters must be those of the same moment */
  readonly resume?: GrpoCheckpoint;
  /** stops the run after the update under way */
  readonly signal?: AbortSignal;
  /** absent: the policy answers here */
  readonly elsewhere?: AnswersElsewhere;
}

/** One line of `metrics.jsonl`: no clock, path or process in it. Updates count from 0. */
export interface GrpoLine {
  readonly v: 1;
  readonly kind: 'update';
  readonly phase: 'grpo';
  readonly update: number;
  readonly [field: string]: string | number | null;
}

/** Where a run stands between two updates, as plain JSON: every random draw comes from a stream that is named by its place in the run. */
export interface GrpoState {
  readonly v: 1;
  readonly kind: 'grpo';
  /** seed and stream names of the run's generator */
  readonly randomPath: string;
  /** made so far */
  update: number;
  answers: number;
  /** of all answers */
  tokens: number;
  /** optimizer steps */
  gradientSteps: number;
}

export interface GrpoCheckpoint {
  readonly state: GrpoState;
  readonly optimizer: OptimizerState;
  /** where answers may be stale: what the policy was before, of the versions that give answers to come; oldest first */
  readonly earlier?: readonly ParameterSet[];
}

/** A run with what it changes as it goes. */
export interface RunningGrpo<T extends GrpoTask> extends GrpoRun<T> {
  readonly state: GrpoState;
  readonly optimizer: Optimizer;
  readonly versions: Versions;
}

/**
 * At its beginning, or where its checkpoint left it. Errors: `usage` for settings out of range, without tasks or rewards, or for β without a
 * reference; `data` where the checkpoint belongs to another run.
 */
export function beginGrpo<T extends GrpoTask>(run: GrpoRun<T>): RunningGrpo<T> {
  const { settings, policy, random, resume } = run;
  checkGrpoSettings(settings);
  requireParts(run);
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

function requireParts<T extends GrpoTask>({ settings, reference, tasks, rewards }: GrpoRun<T>): void {
  if (settings.losses.beta > 0 && !reference)
    throw new EmacError('usage', `--beta: ${settings.losses.beta} needs a reference, and there is none`);
  if (!Number.isSafeInteger(tasks.count) || tasks.count < 1)
    throw new EmacError('usage', `training: needs a task, got ${tasks.count}`);
  if (Object.keys(rewards).length === 0) throw new EmacError('usage', 'training: needs a reward, got none');
}

function firstState(randomPath: string): GrpoState {
  return { v: 1, kind: 'grpo', randomPath, update: 0, answers: 0, tokens: 0, gradientSteps: 0 };
}

function requireSameRun(state: GrpoState, randomPath: string): void {
  if ((state.v as number) === 1 && state.kind === 'grpo' && state.randomPath === randomPath) return;
  throw new EmacError(
    'data',
    `training state: is ${state.kind} of version ${state.v} and "${state.randomPath}", the run is grpo of version 1 and "${randomPath}"`,
  );
}

/** Hands out where the run stands. Errors: `interrupted` once it was asked to stop. */
export async function saveGrpo<T extends GrpoTask>(run: RunningGrpo<T>): Promise<void> {
  const { state, optimizer, versions, checkpoint, signal } = run;
  await checkpoint?.({
    state: structuredClone(state),
    optimizer: optimizer.state(),
    ...(versions.limit > 0 && { earlier: versions.earlier() }),
  });
  if (signal?.aborted)
    throw new EmacError('interrupted', 'training: stopped on request, go on from the last checkpoint');
}
