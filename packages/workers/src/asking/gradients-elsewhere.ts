/** Gradients of training on games or a dataset, as jobs; each job describes the trained parameters and losses. */
import type { ShardGradients } from '@emac/algorithms';
import type { AdapterSettings } from '@emac/backbone';
import { parametersOf, type Gradient, type ParameterSet } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import { policyParameters, type Student, type TrainedPart } from '@emac/model';
import type { Json, SharedFolder } from '@emac/queue';
import { readGradient } from '../plan/gradient-file.ts';
import { storeVersion, versionOf } from '../plan/policy-version.ts';
import { shardStore } from '../plan/shard-file.ts';
import type { ShardJobs } from './shard-jobs.ts';

/** The trainable part of a policy and its settings; equal for all versions of a run. */
export interface Learnt {
  readonly train: readonly TrainedPart[];
  readonly dropoutSeed: string;
  readonly adapter: AdapterSettings | null;
  /** SHA-256 of the frozen parameters */
  readonly fixed: string;
}

/** The input of a `gradient` job; `shard` is the hash of a `Shard`. */
export interface GradientInput {
  readonly plan: string;
  readonly learnt: Learnt;
  readonly shard: string;
}

/** The queue and run of gradient jobs. */
export interface GradientsPlace {
  readonly folder: SharedFolder;
  /** hash of the run's `RolloutPlan` */
  readonly plan: string;
  readonly jobs: ShardJobs;
}

export interface LearningElsewhere {
  readonly student: Pick<Student, 'groups' | 'projection' | 'adapter'>;
  readonly train: readonly TrainedPart[];
  readonly dropoutSeed: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Lets workers compute gradients. Errors while computing: those of queue and folder; `interrupted`, `check-failed` as
 * `gather`.
 */
export function gradientsElsewhere(
  { folder, plan, jobs }: GradientsPlace,
  { student, train, dropoutSeed, signal }: LearningElsewhere,
): ShardGradients {
  const learnt: Learnt = {
    train,
    dropoutSeed,
    adapter: student.adapter?.settings ?? null,
    fixed: sha256(encodeFloats(fixedOf(student))),
  };
  const input = { plan, learnt: learnt as unknown as Json };
  const store = shardStore(folder);
  return (shards, loss) => {
    const policy = storeVersion(folder, versionOf(student));
    const stored = shards.map((rows) => store.put({ rows, loss }));
    // a worker's parameters have file order; sums over all of them use the student's
    const read = async (hash: string) => inOrderOf(parametersOf(student), await readGradient(folder, hash));
    return jobs.gradients({ policy, shards: stored, input, signal }, read);
  };
}

function inOrderOf(parameters: ParameterSet, { gradients, ...found }: Gradient): Gradient {
  return { ...found, gradients: new Map([...parameters.keys()].map((name) => [name, gradients.get(name)!])) };
}

function fixedOf(student: LearningElsewhere['student']): ParameterSet {
  const learning = parametersOf(student);
  return new Map([...policyParameters(student)].filter(([name]) => !learning.has(name)));
}
