/** Workers that play the steps of a PPO run. */
import { basename } from 'node:path';
import type { ActorShardGradients, StepsElsewhere } from '@emac/algorithms';
import { Random } from '@emac/core';
import { warn, type Host, type PolicyStart, type PpoPolicy } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';
import {
  gradientsElsewhere,
  learnedVersion,
  scoresElsewhere,
  shareStart,
  stepsElsewhere,
  storePlan,
  workedRun,
  type GradientsElsewhere,
  type WorkedRun,
} from '@emac/workers';
import type { ScoresElsewhere } from '../evaluation/play-in-steps.ts';
import { plannedPpo } from './worker-policy.ts';

export interface PlayedRun {
  /** its paths as they are here */
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  readonly start: PolicyStart;
  readonly host: Host;
}

/** The part of a run done by workers. */
export interface PpoWorkers extends Pick<WorkedRun, 'agreed' | 'forget'> {
  readonly steps: StepsElsewhere;
  /** of shards, if there are several */
  readonly gradients: GradientsElsewhere<ActorShardGradients>;
  /** the episodes of an evaluation with this generator */
  scores(when: 'before' | 'after', random: Random): ScoresElsewhere;
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
  const run = workedRun({
    workers,
    run: basename(folder),
    plan: storePlan(workers.folder, { plays: 'steps', config: plannedPpo(config), policy, host }),
    task: config.env,
    host,
    start: shareStart(workers.folder, start.from),
  });
  const { actorCritic } = policy;
  const groups = [...actorCritic.groups.policy, ...actorCritic.groups.value];
  return {
    steps: stepsElsewhere(run, trainingRandom(config).path),
    gradients: gradientsElsewhere(run, { version: () => learnedVersion({ groups }) }),
    scores: (part, { path: random }) =>
      scoresElsewhere(run, { part, actorCritic, random, blankFrames: false }),
    agreed: run.agreed,
    forget: run.forget,
  };
}

/** The generator of a run's training. */
export function trainingRandom({ seed }: PpoConfig): Random {
  return Random.fromSeed(seed).stream('training');
}
