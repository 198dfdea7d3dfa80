export type { DryRun } from './describe.ts';
export { dryCollection } from './dry-collection.ts';
export { dryEvaluation } from './dry-evaluation.ts';
export { dryTraining } from './dry-training.ts';
export type { Range } from './range.ts';
