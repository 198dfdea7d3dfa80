/** Workers that play, evaluate and learn for a run of GRPO in an environment. */
import { basename } from 'node:path';
import type { AttemptsElsewhere } from '@emac/algorithms';
import { parametersOf, type OpenedKind } from '@emac/core';
import { warn, type Host, type LanguagePolicy } from '@emac/opening';
import type { Elsewhere } from '@emac/rollout';
import { modelIn, type GrpoConfig } from '@emac/settings';
import {
  attemptsElsewhere,
  gamesOf,
  gradientsElsewhere,
  storeRolloutPlan,
  versionOf,
  workedRun,
} from '@emac/workers';
import type { When } from '../life/recipe.ts';
import type { GroupWorkers } from './group-play.ts';

export interface PlayedRun {
  readonly opened: OpenedKind;
  /** workers answer questions that are asked here */
  readonly isAskedHere: boolean;
  readonly config: GrpoConfig;
  readonly policy: LanguagePolicy;
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
  { opened, isAskedHere, config, policy, host }: PlayedRun,
): EnvironmentWorkers | null {
  const { workers } = host;
  if (!workers) return null;
  warnOfOneJob(config, host);
  const { student, model, start, form, learning } = policy;
  const { gradientShards } = config.optimization;
  const plan = storeRolloutPlan(workers.folder, {
    model,
    config: modelIn(config),
    form,
    visionNorm: start.visionNorm,
    adapters: [student.adapter],
    expert: null,
    learning: gradientShards === 1 ? null : learning,
    seed: config.seed,
    host,
    ...(opened.taskFiles && { taskFiles: opened.taskFiles }),
  });
  const run = workedRun({ workers, run: basename(folder), plan, start: null, task: config.env, host });
  const gameOf = gamesOf(opened);
  const { groupSize, together } = config.play;
  const version = () => versionOf(student);
  const attempts: AttemptsElsewhere = ({ parameters, ...update }, asking) => {
    const { parameters: all, adapter } = version();
    return attemptsElsewhere(run, {
      ...update,
      part: 'updates',
      together: together && together * groupSize,
      // frozen parameters are equal in every version
      version: () => ({ parameters: new Map([...all, ...parameters]), adapter }),
      gameOf,
      isAskedHere,
      asking,
    });
  };
  return {
    attempts,
    evaluation: (when) => attemptsElsewhere(run, { part: when, version, gameOf }),
    gradients: gradientsElsewhere(run, { version, order: [...parametersOf(student).keys()] }),
    agreed: run.agreed,
    forget: run.forget,
  };
}

function warnOfOneJob({ play: { promptsPerUpdate, together } }: GrpoConfig, { listener }: Host): void {
  if (together !== null || promptsPerUpdate <= 1) return;
  warn(
    listener,
    `--queue: one worker plays all attempts at the ${promptsPerUpdate} tasks of an update, others wait; with --prompts-together each group of tasks is a job`,
  );
}
