/** A policy that can be trained, opened, whatever it is made of; and what a checkpoint holds of it. */
import type { Adapter } from '@emac/backbone';
import { parametersOf, type ParameterSet, type Policy, type Scorer, type Trainable } from '@emac/core';
import type { Student } from '@emac/model';
import type { CheckpointContent } from '@emac/runs';
import type { PolicySizes } from '../expected.ts';
import { namesOfEarlier } from './stored-names.ts';
import type { OpenModel } from './model.ts';
import type { PolicyForm, PpoForm } from './policy-form.ts';

/** The part of a policy that checkpoints hold. */
export interface StoredPolicy {
  /** hash of the frozen networks, or the network's description */
  readonly identity: string;
  /** its form, by which commands open it: `policy` of a language model, `environment` of one that acts by number */
  readonly stored: { readonly policy?: PolicyForm; readonly environment?: PpoForm };
  /** its parameters as they are now */
  content(): Pick<CheckpointContent, 'projection' | 'beside'>;
}

export interface OpenedPolicy extends StoredPolicy {
  /** of a small network as it was given, of a model its folder */
  readonly name: string;
  readonly learner: Policy & Scorer & Trainable;
  /** null for a small network */
  readonly model: (Omit<OpenModel, 'layers'> & Pick<Student, 'layers'>) | null;
  /** of a language model; null without one */
  readonly adapter: Adapter | null;
  /** one sentence about its conversation; null without one */
  readonly note: string | null;
  dispose(): Promise<void>;
}

/** A moment of training. */
export interface StoredMoment {
  /** grows with every update */
  readonly step: number;
  readonly state: unknown;
  /** `steps`: how many it has made, of each of its parts */
  readonly optimizer: { readonly tensors: ParameterSet; readonly steps: object };
  /** earlier versions needed for what is to come, oldest first */
  readonly earlier?: readonly ParameterSet[] | undefined;
  /** ids of games trained on */
  readonly games?: readonly string[];
  /** the method's further state */
  readonly beside?: object;
}

/** The content of a checkpoint at one moment; no clock, path or run id is in it. */
export function checkpointContent(
  { identity, stored, content }: StoredPolicy,
  { step, state, optimizer, earlier = [], games = [], beside }: StoredMoment,
): CheckpointContent {
  return {
    step,
    ...content(),
    optimizer: new Map([...optimizer.tensors, ...namesOfEarlier(earlier)]),
    state: { v: 2, training: state, optimizer: optimizer.steps, ...stored, ...beside },
    manifest: { baseModel: identity, games },
  };
}

/** How large a policy is in a checkpoint. */
export function storedSizes({ content }: StoredPolicy, learner: Pick<Trainable, 'groups'>): PolicySizes {
  const { projection, beside = [] } = content();
  const parts = [...(projection ? [projection] : []), ...beside.map(({ tensors }) => tensors)];
  return {
    parameters: parts.reduce((sum, tensors) => sum + tensorBytes(tensors), 0),
    trained: tensorBytes(parametersOf(learner)),
  };
}

export function tensorBytes(parameters: ParameterSet): number {
  return [...parameters.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
}
