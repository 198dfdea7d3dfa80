export { dryCollection } from './dry-collection.ts';
export { dryEvaluation } from './dry-evaluation.ts';
export type { DryHost, DryRun } from './dry-run.ts';
export { dryTraining } from './dry-training.ts';
export { dryGrpo, dryPpo } from './dry-updates.ts';
export type { Measured } from './measure.ts';
export type { MeasuredUpdates } from './measure-updates.ts';
export type { Range } from './range.ts';
