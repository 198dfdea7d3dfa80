/** Workers that play, evaluate and learn for a run of GRPO in an environment. */
import { basename } from 'node:path';
import type { AttemptsElsewhere } from '@emac/algorithms';
import type { OpenedKind, Task } from '@emac/core';
import { trainedParts, warn, type Host } from '@emac/opening';
import type { Elsewhere } from '@emac/rollout';
import type { GrpoConfig } from '@emac/settings';
import {
  gradientsElsewhere,
  plannedCode,
  runAttempts,
  runElsewhere,
  storePlan,
  versionOf,
  type GameFile,
} from '@emac/workers';
import type { When } from '../life/recipe.ts';
import type { GroupWorkers } from './group-play.ts';
import type { GroupPolicy } from './group-policy.ts';

export interface PlayedRun {
  readonly opened: OpenedKind;
  /** the tasks of an evaluation */
  readonly evaluated: readonly Task[];
  readonly config: GrpoConfig;
  readonly policy: GroupPolicy;
  readonly host: Host;
}

export interface EnvironmentWorkers extends GroupWorkers {
  readonly attempts: AttemptsElsewhere;
  /** the episodes of an evaluation */
  evaluation(when: When): Elsewhere;
}

/** Null without workers. Errors: those of the shared folder. */
export function environmentWorkers(
  { folder }: { readonly folder: string },
  { opened, evaluated, config, policy, host }: PlayedRun,
): EnvironmentWorkers | null {
  const { workers, listener, signal } = host;
  if (!workers) return null;
  warnOfOneJob(config, host);
  const { student, model, start, form, dropoutSeed } = policy;
  const plan = storePlan(workers.folder, {
    model,
    config: config.model,
    form,
    visionNorm: start.visionNorm,
    adapters: [student.adapter],
    expert: null,
    seed: config.seed,
    ...plannedCode(host),
  });
  const run = basename(folder);
  const gameOf = (task: Task): GameFile | null => {
    if (!opened.fileOf) return null;
    const path = opened.fileOf(task);
    return { id: task.id, ...(path !== undefined && { path }) };
  };
  const { part, gradients, ...episodes } = runElsewhere(workers, { run, plan, listener });
  const { elsewhere: attempts, ...updates } = runAttempts(workers, {
    run,
    plan,
    task: config.env,
    host,
    ahead: config.optimization.maxStaleness,
    policy: student,
    groupSize: config.play.groupSize,
    together: config.play.together,
    gameOf,
  });
  const each = gradientsElsewhere(gradients, {
    student,
    train: trainedParts(config, model),
    dropoutSeed,
    signal,
  });
  return {
    attempts,
    evaluation: (when) =>
      part(when, {
        games: opened.fileOf ? evaluated.map((task) => gameOf(task)!) : null,
        version: () => versionOf(student),
      }),
    gradients: { each, at: (made) => gradients.jobs.at(made) },
    agreed: async (made) => {
      await updates.agreed(made);
      await episodes.agreed();
    },
    forget: async (made) => {
      await updates.forget(made);
      await episodes.forget();
    },
  };
}

function warnOfOneJob({ play: { promptsPerUpdate, together } }: GrpoConfig, { listener }: Host): void {
  if (together !== null || promptsPerUpdate <= 1) return;
  warn(
    listener,
    `--queue: one worker plays all attempts at the ${promptsPerUpdate} tasks of an update, others wait; with --prompts-together each group of tasks is a job`,
  );
}
