/**
 * Gradients over workers, as who trains sees them: each shard of an update is a job, named by run, version of the policy, what it is of
 * and its place, so its result counts once and is found again where the run goes on. What comes back is added in the order of the
 * shards, whoever was first.
 */
import type { ShardGradients } from '@emac/algorithms';
import type { AdapterSettings } from '@emac/backbone';
import { invariant, parametersOf, type ParameterSet } from '@emac/core';
import { encodeFloats, sha256 } from '@emac/files';
import { policyParameters, type Student, type TrainedPart } from '@emac/model';
import { gatherEach, type Job, type Json } from '@emac/queue';
import type { PutTogether } from './elsewhere.ts';
import { readGradient, shardStore } from './gradient-file.ts';
import { storeVersion, versionOf } from './policy-version.ts';
import { watchForWorkers } from './watch-for-workers.ts';
import { workerVersions } from './worker-versions.ts';

/** What of a policy learns, and how; equal for all versions of a run. */
export interface Learnt {
  readonly train: readonly TrainedPart[];
  readonly dropoutSeed: string;
  readonly adapter: AdapterSettings | null;
  /** SHA-256 of the parameters that stay as they are */
  readonly fixed: string;
}

/** The input of a job of the kind `gradient`; `shard` is the hash of a `Shard`. */
export interface GradientInput {
  readonly plan: string;
  readonly learnt: Learnt;
  readonly shard: string;
}

export interface LearningElsewhere {
  readonly student: Pick<Student, 'groups' | 'projection' | 'adapter'>;
  readonly train: readonly TrainedPart[];
  readonly dropoutSeed: string;
  readonly signal: AbortSignal | undefined;
}

/** Has gradients computed by workers. Errors, as it is asked: those of queue and folder; `interrupted`, `check-failed` as `gather`. */
export function gradientsElsewhere(
  { workers: { queue, folder }, run, plan, listener }: PutTogether,
  { student, train, dropoutSeed, signal }: LearningElsewhere,
): ShardGradients {
  const learnt: Learnt = {
    train,
    dropoutSeed,
    adapter: student.adapter?.settings ?? null,
    fixed: sha256(encodeFloats(fixedOf(student))),
  };
  const store = shardStore(folder);
  return async function* (shards, loss) {
    const policy = storeVersion(folder, versionOf(student));
    const jobs = shards.map((rows, place): Job => {
      const shard = store({ rows, loss });
      return {
        name: { kind: 'gradient', run, policy, task: shard, seed: 0, shard: place },
        input: { plan, learnt, shard } satisfies GradientInput as unknown as Json,
      };
    });
    await queue.announce(workerVersions());
    const unwatch = await watchForWorkers(queue, listener);
    const come: string[] = [];
    let next = 0;
    try {
      for await (const [place, result] of gatherEach(queue, jobs, { signal })) {
        come[place] = (result as { readonly gradient: string }).gradient;
        for (; come[next] !== undefined; next++) yield await readGradient(folder, come[next]!);
      }
    } finally {
      unwatch();
    }
    invariant(next === shards.length, `gradients: ${next} of ${shards.length} shards came`);
  };
}

function fixedOf(student: LearningElsewhere['student']): ParameterSet {
  const learning = parametersOf(student);
  return new Map([...policyParameters(student)].filter(([name]) => !learning.has(name)));
}
