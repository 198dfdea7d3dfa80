/** The student of a run as its updates differentiate it: whole, in shards, or in shards that workers compute. */
import type { MetricsLine } from '@emac/algorithms';
import type { TrainingPlan } from './plan.ts';
import { inShards } from './sharded-policy.ts';
import type { Work } from './work.ts';

/** Errors, as it is differentiated: those of the student and of workers. */
export function learningPolicy({ plan, elsewhere }: Work): TrainingPlan['student'] {
  const { gradientShards: count } = plan.config.optimization;
  return inShards(plan.student, { count, each: elsewhere?.gradients.each ?? null });
}

/** Writes metrics; after an update's line, gradients belong to the next update. */
export function measuresOf({ run, elsewhere }: Pick<Work, 'run' | 'elsewhere'>) {
  return (line: MetricsLine): void => {
    run.metrics(line);
    if (line.kind === 'update') elsewhere?.gradients.at((line['update'] as number) + 1);
  };
}
