/** What a checkpoint of PPO holds: parameters, those of earlier versions that play steps to come, both optimizers, where training and environments stand, and which policy it is. */
import type { PpoCheckpoint, PpoState } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import type { BestReturnState } from '@emac/curriculum';
import { loadCheckpoint, resolveCheckpoint, type Checkpoint, type CheckpointContent } from '@emac/runs';
import type { PpoConfig } from '@emac/settings';
import { earlierOf, namesOfEarlier } from '../models/earlier-names.ts';
import type { PolicyForm } from '../models/policy-form.ts';
import type { PpoPolicy } from './ppo-policy.ts';
import { tasksIn } from './environment-tasks.ts';
import { ownNames, storedNames } from './predictor-names.ts';

/** Plain JSON, for a checkpoint: the returns of each environment's episodes whose cohort is not complete, oldest first. */
export type CohortState = readonly (readonly number[])[];

/** What is needed to open the policy of a checkpoint that was copied elsewhere. */
export type PpoForm = Pick<PpoConfig, 'env' | 'policy' | 'preset' | 'play' | 'speech' | 'value' | 'model'>;

interface StoredState {
  readonly training: PpoState;
  /** `predictor` where one has learned */
  readonly optimizer: Readonly<Record<'policy' | 'value', { readonly step: number }>> & {
    readonly predictor?: { readonly step: number };
  };
  readonly environment: PpoForm;
  /** ids, where more environments than that are its tasks */
  readonly tasks?: readonly string[];
  /** where returns are averaged */
  readonly best?: BestReturnState;
  /** returns whose cohort is not complete; absent where all are */
  readonly cohorts?: CohortState;
  /** as checkpoints of other training have it; absent for a small network */
  readonly policy?: PolicyForm;
}

/** World steps plus updates. */
export function ppoProgress({ environmentSteps, update }: PpoState): number {
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
  const { env, policy: kind, preset, play, speech, value, model } = config;
  const tasks = tasksIn(config);
  const stored: StoredState = {
    training: state,
    optimizer: {
      policy: { step: ofPolicy.step },
      value: { step: ofValues.step },
      ...(predictor && { predictor: { step: predictor.step } }),
    },
    // of a module its name: where its file lies is no part of a checkpoint
    environment: { env: policy.opened?.id ?? env, policy: kind, preset, play, speech, value, model },
    ...(tasks && { tasks }),
    ...(best && { best }),
    ...(cohorts.some(({ length }) => length > 0) && { cohorts }),
    ...(policy.form && { policy: policy.form }),
  };
  return {
    step: ppoProgress(state),
    ...policy.content(),
    optimizer: new Map([
      ...ofPolicy.tensors,
      ...ofValues.tensors,
      ...storedNames(predictor?.tensors ?? new Map()),
      ...namesOfEarlier(earlier),
    ]),
    state: { v: 2, ...stored },
    manifest: { baseModel: policy.identity, games: [] },
  };
}

/** Where training stood. Errors: `data` for a checkpoint of another method. */
export function ppoCheckpointOf({ state, optimizer: tensors }: Checkpoint): PpoCheckpoint {
  const { training, optimizer } = stateOf(state, 'checkpoint');
  const of = (part: 'policy' | 'value') => ({ step: optimizer[part].step, tensors: tensors! });
  const { predictor } = optimizer;
  const ofPredictor = predictor && { predictor: { step: predictor.step, tensors: ownNames(tensors!) } };
  return {
    state: training,
    optimizer: { policy: of('policy'), value: of('value'), ...ofPredictor },
    earlier: earlierOf(tensors!),
  };
}

/** The average of returns as it stood; null where there is none. Errors: `data` for a checkpoint of another method. */
export function storedBestOf({ state }: Checkpoint): unknown {
  return stateOf(state, 'checkpoint').best ?? null;
}

/** Returns that wait for their cohorts; null where none does. Errors: `data` for a checkpoint of another method. */
export function storedCohortsOf({ state }: Checkpoint): unknown {
  return stateOf(state, 'checkpoint').cohorts ?? null;
}

/** In which environment and as what a checkpoint's policy was trained, by the name of a run or checkpoint. Errors: `missing`; `data` for that of another method. */
export function ppoFormOf(reference: string): {
  readonly form: PpoForm;
  /** the environments in which it was trained */
  readonly trainedIn: readonly string[];
  /** the checkpoint's name */
  readonly name: string;
} {
  const { folder, name } = resolveCheckpoint(reference);
  const { environment: form, tasks } = stateOf(loadCheckpoint(folder).state, reference);
  return { form, trainedIn: tasks ?? [form.env], name };
}

/** What a checkpoint says of the moment in which it was made. */
export interface PpoMoment {
  /** updates that were over */
  readonly update: number;
  readonly environmentSteps: number;
  /** null where returns are not averaged, or none was there yet */
  readonly best: BestReturnState | null;
  /** of a checkpoint that is to be opened, not trained further: which policy it is */
  readonly opened: Readonly<Record<string, unknown>>;
}

/** Errors: `data` for a checkpoint of another method. */
export function ppoMomentOf({ state }: Checkpoint, place: string): PpoMoment {
  const { training, environment, tasks, policy, best = null } = stateOf(state, place);
  const { update, environmentSteps } = training;
  const opened = { v: 2, environment, ...(tasks && { tasks }), ...(policy && { policy }) };
  return { update, environmentSteps, best, opened };
}

/** True for the state of a checkpoint that PPO made, whole or without what only training needs. */
export function isOfPpo(state: Checkpoint['state']): boolean {
  const { training, environment } = state as unknown as Partial<StoredState>;
  return training?.kind === 'ppo' || environment !== undefined;
}

function stateOf(state: Checkpoint['state'], place: string): StoredState {
  if (isOfPpo(state)) return state as unknown as StoredState;
  throw new EmacError('data', `${place}: was not trained by emac ppo; give a run of it`);
}
