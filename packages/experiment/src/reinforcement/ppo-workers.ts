/** Workers that play the steps of a PPO run. */
import { basename } from 'node:path';
import type { ActorShardGradients, StepsElsewhere } from '@emac/algorithms';
import { Random } from '@emac/core';
import { warn, type Host, type PolicyStart, type PpoPolicy } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';
import {
  runActorGradients,
  runScores,
  runSteps,
  shareStart,
  storePolicyPlan,
  type RunGradients,
} from '@emac/workers';
import type { ScoresElsewhere } from './ppo-evaluation.ts';
import { plannedPpo } from './worker-policy.ts';

export interface PlayedRun {
  /** its paths as they are here */
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  readonly start: PolicyStart;
  readonly host: Host;
}

/** The part of a run done by workers. */
export interface PpoWorkers {
  readonly steps: StepsElsewhere;
  /** of shards, if there are several */
  readonly gradients: Pick<RunGradients<ActorShardGradients>, 'each' | 'at'>;
  /** the episodes of an evaluation with this generator */
  scores(when: 'before' | 'after', random: Random): ScoresElsewhere;
  /** Before a run of so many updates is called finished. Errors: as `requireAgreement`. */
  agreed(updates: number): Promise<void>;
  /** the run is over after so many updates */
  forget(updates: number): Promise<void>;
}

/** Null without workers. Errors: those of the shared folder and of reading the start. */
export function ppoWorkers(
  { folder }: { readonly folder: string },
  { config, policy, start, host }: PlayedRun,
): PpoWorkers | null {
  const { workers, listener } = host;
  if (!workers) return null;
  const { environments, together } = config.play;
  if (together === null && environments > 1)
    warn(
      listener,
      `--queue: one worker plays all ${environments} environments of an update, others wait; with --envs-together each group is a job`,
    );
  const played = {
    run: basename(folder),
    plan: storePolicyPlan(workers.folder, { config: plannedPpo(config), policy, host }),
    task: config.env,
    host,
    start: shareStart(workers.folder, start.from),
  };
  const { actorCritic } = policy;
  const steps = runSteps(workers, {
    ...played,
    seeds: trainingRandom(config).path,
    ahead: config.optimization.maxStaleness,
  });
  const evaluations = runScores(workers, { ...played, actorCritic });
  const gradients = runActorGradients(workers, { ...played, actorCritic });
  return {
    steps: steps.elsewhere,
    gradients,
    scores: (part, random) => (numbers, ended) =>
      evaluations.scores({ part, numbers, ended, random: random.path, blankFrames: false }),
    agreed: async (updates) => {
      await steps.agreed(updates);
      await gradients.agreed();
      await evaluations.agreed(['before', 'after']);
    },
    forget: async (updates) => {
      await steps.forget(updates);
      await gradients.forget();
      await evaluations.forget(['before', 'after']);
    },
  };
}

/** The generator of a run's training. */
export function trainingRandom({ seed }: PpoConfig): Random {
  return Random.fromSeed(seed).stream('training');
}
