export { tensorboard } from './tensorboard.ts';
export type { TensorboardOptions, TextBefore } from './tensorboard.ts';
export type { MetricsLine, Tracker } from './tracker.ts';
export { wandb, wandbMode } from './wandb.ts';
export type { WandbOptions, WandbTracker } from './wandb.ts';
