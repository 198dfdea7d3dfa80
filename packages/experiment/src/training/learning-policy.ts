/** The student of a run as its updates differentiate it: whole, in shards, or in shards that workers compute. */
import type { MetricsLine } from '@emac/algorithms';
import { trainedParts } from '@emac/opening';
import { gradientsElsewhere } from '@emac/workers';
import type { TrainingPlan } from './plan.ts';
import { inShards } from './sharded-policy.ts';
import type { Work } from './work.ts';

/** Errors, as it is differentiated: those of the student; those of `gradientsElsewhere`. */
export function learningPolicy({ plan, elsewhere, host }: Work): TrainingPlan['student'] {
  const { student, config, language } = plan;
  const { gradientShards: count } = config.optimization;
  if (count === 1 || !elsewhere || !language) return inShards(student, { count, each: null });
  const learning = {
    student: language.student,
    train: trainedParts(config, language.model),
    dropoutSeed: `${config.seed}`,
    signal: host.signal,
  };
  return inShards(student, { count, each: gradientsElsewhere(elsewhere.gradients, learning) });
}

/** Writes metrics; after an update's line, gradients belong to the next update. */
export function measuresOf({ run, elsewhere }: Pick<Work, 'run' | 'elsewhere'>) {
  return (line: MetricsLine): void => {
    run.metrics(line);
    if (line.kind === 'update') elsewhere?.gradients.jobs.at((line['update'] as number) + 1);
  };
}
