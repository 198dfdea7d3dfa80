/**
 * The content of a PPO checkpoint: parameters, earlier versions needed for steps to come, both optimizers, training and
 * environment states, and the policy's form.
 */
import type { PpoCheckpoint, PpoState } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { BestReturnState } from '@emac/curriculum';
import type { Checkpoint, CheckpointContent } from '@emac/runs';
import type { PpoConfig } from '@emac/settings';
import { earlierOf, ofPredictor, ownNames, storedNames } from '../models/stored-names.ts';
import { checkpointContent } from '../models/opened-policy.ts';
import type { PolicyForm, PpoForm } from '../models/policy-form.ts';
import type { PpoPolicy } from './ppo-policy.ts';
import { tasksIn } from './environment-tasks.ts';

/** Plain JSON: returns of each environment's episodes whose cohort is incomplete, oldest first. */
export type CohortState = readonly (readonly number[])[];

interface StoredState {
  readonly training: PpoState;
  /** `predictor` if one has learned */
  readonly optimizer: Readonly<Record<'policy' | 'value', { readonly step: number }>> & {
    readonly predictor?: { readonly step: number };
  };
  readonly environment: PpoForm;
  /** ids, if its tasks are several environments */
  readonly tasks?: readonly string[];
  /** if returns are averaged */
  readonly best?: BestReturnState;
  /** returns of incomplete cohorts; absent for none */
  readonly cohorts?: CohortState;
  /** as checkpoints of other training have it; absent for a small network */
  readonly policy?: PolicyForm;
}

/** World steps plus updates. */
function ppoProgress({ environmentSteps, update }: PpoState): number {
  return environmentSteps + update;
}

/** The content at one moment; no clock, path or run id is in it. */
export function ppoContent(
  { state, optimizer: { policy: ofPolicy, value: ofValues, predictor }, earlier = [] }: PpoCheckpoint,
  {
    config,
    policy,
    best,
    cohorts,
  }: {
    readonly config: PpoConfig;
    readonly policy: PpoPolicy;
    readonly best: BestReturnState | null;
    readonly cohorts: CohortState;
  },
): CheckpointContent {
  const { env, policy: name, preset, play, value, model } = config;
  const { maxPromptTokens: maxTextTokens, ...spoken } = config.speech;
  // under the name that checkpoints have always had
  const speech = { ...spoken, maxTextTokens } as unknown as PpoConfig['speech'];
  const tasks = tasksIn(config);
  // for a module its name: checkpoints hold no path
  const environment = { env: policy.kind?.id ?? env, policy: name, preset, play, speech, value, model };
  return checkpointContent(
    { ...policy, stored: { ...policy.stored, environment } },
    {
      step: ppoProgress(state),
      state,
      optimizer: {
        tensors: new Map([
          ...ofPolicy.tensors,
          ...ofValues.tensors,
          ...storedNames(predictor?.tensors ?? new Map(), ofPredictor),
        ]),
        steps: {
          policy: { step: ofPolicy.step },
          value: { step: ofValues.step },
          ...(predictor && { predictor: { step: predictor.step } }),
        },
      },
      earlier,
      beside: {
        ...(tasks && { tasks }),
        ...(best && { best }),
        ...(cohorts.some(({ length }) => length > 0) && { cohorts }),
      },
    },
  );
}

/** The training state. Errors: `data` for a checkpoint of another method. */
export function ppoCheckpointOf({ state, optimizer: tensors }: Checkpoint): PpoCheckpoint {
  const { training, optimizer } = stateOf(state, 'checkpoint');
  const of = (part: 'policy' | 'value') => ({ step: optimizer[part].step, tensors: tensors! });
  const { predictor } = optimizer;
  const own = predictor && { step: predictor.step, tensors: ownNames(tensors!, ofPredictor) };
  return {
    state: training,
    optimizer: { policy: of('policy'), value: of('value'), ...(own && { predictor: own }) },
    earlier: earlierOf(tensors!),
  };
}

/** The stored average of returns; null without one. Errors: `data` for a checkpoint of another method. */
export function storedBestOf({ state }: Checkpoint): unknown {
  return stateOf(state, 'checkpoint').best ?? null;
}

/** Returns waiting for their cohorts; null without any. Errors: `data` for a checkpoint of another method. */
export function storedCohortsOf({ state }: Checkpoint): unknown {
  return stateOf(state, 'checkpoint').cohorts ?? null;
}

/** The moment of a checkpoint. */
export interface PpoMoment {
  /** updates that were over */
  readonly update: number;
  readonly environmentSteps: number;
  /** null if returns are not averaged, or not yet */
  readonly best: BestReturnState | null;
  /** the form of a checkpoint's policy that is opened but not trained further */
  readonly opened: Readonly<Record<string, unknown>>;
}

/** Errors: `data` for a checkpoint of another method. */
export function ppoMomentOf({ state }: Checkpoint, place: string): PpoMoment {
  const { training, environment, tasks, policy, best = null } = stateOf(state, place);
  const { update, environmentSteps } = training;
  const opened = { v: 2, environment, ...(tasks && { tasks }), ...(policy && { policy }) };
  return { update, environmentSteps, best, opened };
}

/** True for the state of a PPO checkpoint, with or without its training-only parts. */
function isOfPpo(state: Checkpoint['state']): boolean {
  const { training, environment } = state as unknown as Partial<StoredState>;
  return training?.kind === 'ppo' || environment !== undefined;
}

function stateOf(state: Checkpoint['state'], place: string): StoredState {
  if (isOfPpo(state)) return state as unknown as StoredState;
  throw new EmacError('data', `${place}: was not trained by emac train --method ppo; give a run of it`);
}
