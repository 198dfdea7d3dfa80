/** Workers that play the steps of a run of PPO, told what the run is. */
import { basename } from 'node:path';
import { Random } from '@emac/core';
import type { PpoConfig } from '../config/ppo-config.ts';
import { warn, type Host } from '../host.ts';
import { shareStart } from '../workers/policy-start.ts';
import { storeStepPlan } from '../workers/step-plan.ts';
import { runSteps, type RunSteps } from '../workers/steps-elsewhere.ts';
import type { PolicyStart, PpoPolicy } from './ppo-policy.ts';

export interface PlayedRun {
  /** its paths as they are here */
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  readonly start: PolicyStart;
  readonly host: Host;
}

/** Null where there are no workers. Errors: those of the shared folder and of reading the start. */
export function stepsOf(
  { folder }: { readonly folder: string },
  { config, policy, start, host }: PlayedRun,
): RunSteps | null {
  const { workers } = host;
  if (!workers) return null;
  const { environments, together } = config.play;
  if (together === null && environments > 1)
    warn(
      host.listener,
      `--queue: one worker plays all ${environments} environments of an update, others wait; a run with --envs-together has a job for each group`,
    );
  return runSteps(workers, {
    run: basename(folder),
    plan: storeStepPlan(workers.folder, { config, policy }),
    task: config.env,
    host,
    start: shareStart(workers.folder, start.from),
    actorCritic: policy.actorCritic,
    seeds: trainingRandom(config).path,
  });
}

/** The generator of a run's training. */
export function trainingRandom({ seed }: PpoConfig): Random {
  return Random.fromSeed(seed).stream('training');
}
