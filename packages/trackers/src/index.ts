export { tensorboard } from './tensorboard.ts';
export type { TensorboardOptions } from './tensorboard.ts';
export type { MetricsLine, Tracker } from './tracker.ts';
