export { exportModel } from './export-model.ts';
export type { ExportedModel } from './export-model.ts';
export { exportTrainedGguf } from './export-gguf.ts';
export type { TrainedGguf } from './export-gguf.ts';
export { mergeModel } from './merge-model.ts';
export type { MergedModel } from './merge-model.ts';
export { exportPublished } from './published-run.ts';
export type { PublishedRun } from './published-run.ts';
