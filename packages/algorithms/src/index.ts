export { train } from './dagger.ts';
export type { TrainingRun } from './training-run.ts';
export { evaluate, summarize } from './evaluate.ts';
export type {
  EvaluatedGame,
  Evaluation,
  EvaluationResult,
  EvaluationStep,
  EvaluationSummary,
} from './evaluate.ts';
export { collectEpisode } from './dataset-collection.ts';
export type { CollectedEpisode, CollectedSample, Collecting } from './dataset-collection.ts';
export { answerDataset, summarizeAnswers } from './evaluate-dataset.ts';
export type { AnsweredSample, AnswerSummary, DatasetEvaluation, DatasetResult } from './evaluate-dataset.ts';
export { imitationLearner } from './imitation.ts';
export type { ImitationParts } from './imitation.ts';
export type { Learner, Measures, UpdateGradient } from './learner.ts';
export { dynamicLossScaling } from './loss-scale.ts';
export type { LossScale, LossScaling } from './loss-scale.ts';
export { clipGradients, createAdamW } from './optimizer.ts';
export type { AdamWOptions, NamedTensor, Optimizer, OptimizerState } from './optimizer.ts';
export { trainOffline } from './offline.ts';
export type { OfflineCheckpoint, OfflineEvent, OfflineMoment, OfflineRun } from './offline.ts';
export type { Judgements, OfflineData, OfflineSample } from './offline-learner.ts';
export type { OfflineState } from './offline-state.ts';
export { preferenceLearner } from './preference.ts';
export type { PreferenceParts } from './preference.ts';
export { presetNames, presetSettings } from './presets.ts';
export type { PresetName } from './presets.ts';
export { checkSettings } from './check-settings.ts';
export { collectProbe } from './probe.ts';
export type { ProbeCollection, ProbeStep } from './probe.ts';
export type { MetricsLine, ProgressEvent } from './progress.ts';
export { drawMicroBatches } from './micro-batches.ts';
export type { Draw } from './micro-batches.ts';
export { learningRateAt } from './schedule.ts';
export type { ScheduleKind } from './schedule.ts';
export type { LabelledStep, StepSelection } from './select-steps.ts';
export type { AgreedPairs, Phase, TrainingSettings } from './settings.ts';
export { noFrame } from './texts.ts';
export type { PolicyTexts } from './texts.ts';
export { progressOf } from './training-state.ts';
export type { FailedEpisode, StoredCheckpoint, TrainingCheckpoint, TrainingState } from './training-state.ts';
export { withThoughts } from './thoughts.ts';
export { wilsonInterval } from './wilson.ts';
