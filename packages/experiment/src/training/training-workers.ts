/** Workers that play, evaluate and learn for a run of imitation or preferences. */
import { basename } from 'node:path';
import type { ShardGradients } from '@emac/algorithms';
import { invariant, parametersOf } from '@emac/core';
import type { RunPlay } from '@emac/opening';
import type { Elsewhere } from '@emac/rollout';
import {
  attemptsElsewhere,
  gamesOf,
  gradientsElsewhere,
  storeRolloutPlan,
  versionOf,
  workedRun,
  workersLabel,
  type GradientsElsewhere,
  type WorkedRun,
} from '@emac/workers';
import type { Work as RunWork } from '../life/recipe.ts';
import type { TrainingPlan } from './plan.ts';

interface TrainingWorkers extends Pick<WorkedRun, 'agreed' | 'forget'> {
  /** whether they label what they play */
  readonly labels: boolean;
  /** the episodes of a part of the run, by default with the student as it is then */
  part(name: string, play: RunPlay, policy?: Parameters<typeof versionOf>[0]): Elsewhere;
  /** of shards, if there are several */
  readonly gradients: GradientsElsewhere<ShardGradients>;
}

/** Null without workers. Errors: those of the shared folder. */
export function trainingWorkers(
  { language, config, random, offline, kind: environment }: TrainingPlan,
  { run: { folder }, host }: Pick<Work, 'run' | 'host'>,
): TrainingWorkers | null {
  const { workers } = host;
  if (!workers) return null;
  invariant(language, 'a small network has no workers');
  const { model, student, form, learning, visionNorm, reference } = language;
  const { kind, noise, thoughts } = config.expert;
  const labels = workersLabel(config.expert);
  const plan = storeRolloutPlan(workers.folder, {
    model,
    config: config.model,
    form,
    visionNorm,
    adapters: [student.adapter, reference?.adapter ?? null],
    expert:
      offline || !labels
        ? null
        : { config: { kind, noise, thoughts }, random: random.stream('retries').path },
    learning: config.optimization.gradientShards === 1 ? null : learning,
    seed: config.seed,
    host,
    ...(environment.taskFiles && { taskFiles: environment.taskFiles }),
  });
  const run = workedRun({ workers, run: basename(folder), plan, start: null, task: config.env, host });
  const version = () => versionOf(student);
  return {
    labels,
    part: (part, play, policy = student) =>
      attemptsElsewhere(run, {
        part,
        labels,
        gameOf: gamesOf(environment),
        version: () => versionOf(policy),
      }),
    gradients: gradientsElsewhere(run, { version, order: [...parametersOf(student).keys()] }),
    agreed: run.agreed,
    forget: run.forget,
  };
}

/** The parts needed to run a phase. */
export interface Work extends RunWork {
  readonly plan: TrainingPlan;
  /** processes that play; null: this one */
  readonly elsewhere: TrainingWorkers | null;
}
