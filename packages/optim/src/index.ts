export { createAdamW } from './adamw.ts';
export type { AdamWOptions, Optimizer, OptimizerState } from './adamw.ts';
export { clipGradients } from './clipping.ts';
export { dynamicLossScaling, lossScaleOf, scaledRows, unscaled } from './loss-scale.ts';
export type { LossScale, LossScaling } from './loss-scale.ts';
export { decayStepOf, learningRateAt } from './schedule.ts';
export type { RoundPosition, ScheduleKind, SchedulePosition, ScheduleSettings } from './schedule.ts';
export { applyUpdate } from './update.ts';
export type { Applied, Measures, Update, UpdateGradient } from './update.ts';
