export type { DryHost, DryRun } from './dry-plan.ts';
export { dryCollection, dryComparison, dryEvaluation } from './dry-play.ts';
export { dryGrpo, dryPpo, dryTraining } from './dry-run.ts';
export type { Measured } from './trials.ts';
