export { dagger } from './dagger.ts';
export type { DaggerRun } from './dagger-run.ts';
export { progressOf } from './dagger-state.ts';
export type { DaggerCheckpoint, DaggerState, FailedEpisode, StoredCheckpoint } from './dagger-state.ts';
export { imitation } from './imitation.ts';
export type { ImitationSample } from './imitation.ts';
export { imitationLearner } from './imitation-learner.ts';
export type { ImitationParts } from './imitation-learner.ts';
export { judgedBy, preference } from './preference.ts';
export type { JudgedPair, Judgement, Pair } from './preference.ts';
export { preferenceLearner } from './preference-learner.ts';
export type { PreferenceParts } from './preference-learner.ts';
export type { EpisodePlace, Learner } from './learner.ts';
export type { Method } from './method.ts';
export type { Draw } from './micro-batches.ts';
export { trainOffline } from './offline.ts';
export type { OfflineCheckpoint, OfflineEvent, OfflineMoment, OfflineRun } from './offline.ts';
export type { OfflineData, OfflineSample } from './offline-data.ts';
export type { Judgements } from './offline-method.ts';
export type { OfflineState } from './offline-state.ts';
export { presetNames, presetSettings } from './presets.ts';
export type { PresetName } from './presets.ts';
export { checkSettings } from './check-settings.ts';
export { collectProbe } from './probe.ts';
export type { ProbeCollection, ProbeStep } from './probe.ts';
export type { MetricsLine, ProgressEvent } from './progress.ts';
export type { StepSelection } from './select-steps.ts';
export type {
  AgreedPairs,
  OptimizationSettings,
  Phase,
  PlaySettings,
  SampleSettings,
  TrainingSettings,
} from './settings.ts';
