export { dagger } from './dagger.ts';
export type { DaggerRun, TaskChoice } from './dagger-run.ts';
export { progressOf } from './dagger-state.ts';
export type { DaggerCheckpoint, DaggerState, FailedEpisode, StoredCheckpoint } from './dagger-state.ts';
export { imitation } from './methods/imitation.ts';
export type { ImitationSample } from './methods/imitation.ts';
export { imitationLearner } from './methods/imitation-learner.ts';
export type { ImitationParts } from './methods/imitation-learner.ts';
export { judgedBy, preference } from './methods/preference.ts';
export type { JudgedPair, Judgement, Pair } from './methods/preference.ts';
export { preferenceLearner } from './methods/preference-learner.ts';
export type { PreferenceParts } from './methods/preference-learner.ts';
export type { EpisodePlace, Learner } from './methods/method.ts';
export { isJudged, labelMethod, learnsPairs, methodsReading, phases, takesLabels } from './methods/list.ts';
export type { LabelMethod, LearnsFromAnswers, LearnsFromPairs, Phase } from './methods/list.ts';
export type { Method } from './methods/method.ts';
export type { Draw } from './methods/micro-batches.ts';
export { trainOffline } from './offline/offline.ts';
export type { OfflineCheckpoint, OfflineEvent, OfflineMoment, OfflineRun } from './offline/offline.ts';
export type { OfflineData, OfflineSample } from './offline/offline-data.ts';
export type { Judgements } from './offline/offline-method.ts';
export type { OfflineState } from './offline/offline-state.ts';
export { presetNames, presetSettings } from './presets.ts';
export type { PresetName } from './presets.ts';
export { actorCriticInShards, gradientInShards, oneByOne, shardsOf } from './gradient-shards.ts';
export type { ActorShardGradients, ShardGradients, ShardsOf } from './gradient-shards.ts';
export {
  checkSettings,
  labelOptimization,
  labelPlay,
  labelPreference,
  labelSamples,
} from './label-settings.ts';
export { collectProbe } from './probe.ts';
export type { ProbeCollection, ProbeStep } from './probe.ts';
export type { MetricsLine, MicroStep, ProgressEvent } from './progress.ts';
export type { StepSelection } from './methods/select-steps.ts';
export type {
  OptimizationSettings,
  PlaySettings,
  SampleSettings,
  TrainingSettings,
} from './label-settings.ts';
export { ppo } from './ppo.ts';
export type {
  Acting,
  AskedGroup,
  AskedSteps,
  EpisodeChoice,
  PpoCheckpoint,
  PpoLine,
  PpoRun,
  PpoState,
  StepsElsewhere,
} from './ppo/ppo-run.ts';
export type { SequenceWords } from './ppo/novelty.ts';
export type { ActionPredictor } from './ppo/action-predictor.ts';
export { askedAhead } from './ahead.ts';
export type { Asking } from './ahead.ts';
export { coefficient, given, positive, share, text, textOrNull, whole } from './setting.ts';
export type { Flag } from './setting.ts';
export {
  checkPpoSettings,
  ppoAdvantages,
  ppoLosses,
  ppoOptimization,
  ppoPlay,
  ppoShaping,
  updatesOf,
} from './ppo/ppo-settings.ts';
export type {
  PpoAdvantageSettings,
  PpoLossSettings,
  PpoOptimizationSettings,
  PpoPlaySettings,
  PpoSettings,
  PpoShapingSettings,
} from './ppo/ppo-settings.ts';
export { ppoPreset, ppoPresetNames } from './ppo/presets.ts';
export type { PpoPolicyKind, PpoPreset, PpoPresetName } from './ppo/presets.ts';
export { grpo } from './grpo.ts';
export type {
  AttemptsElsewhere,
  GrpoCheckpoint,
  GrpoLine,
  GrpoRun,
  GrpoState,
  LearnedAttempts,
  Playing,
} from './grpo/grpo-run.ts';
export { creditsOf } from './grpo/credits.ts';
export type { AttemptCredit, StepCredit } from './grpo/credits.ts';
export type { PlayedAttempt } from './grpo/attempts.ts';
export type {
  EndedAttempt,
  NamedRewards,
  NamedWorth,
  OwnReward,
  PlayedReward,
  RewardedStep,
} from './grpo/attempt-rewards.ts';
export {
  advantageNames,
  comparisonsReading,
  groupMethodName,
  groupMethodNames,
  groupMethodOf,
  groupMethods,
  namedGroupMethods,
  namedLosses,
} from './grpo/group-methods.ts';
export type { Advantages, GroupMethodName } from './grpo/group-methods.ts';
export {
  answerRatioDefaults,
  checkGrpoSettings,
  grpoLosses,
  grpoOptimization,
  grpoPlay,
  stepsPerGrpoUpdate,
} from './grpo/grpo-settings.ts';
export type {
  GrpoLossSettings,
  GrpoOptimizationSettings,
  GrpoPlaySettings,
  GrpoSettings,
} from './grpo/grpo-settings.ts';
export { grpoPreset, grpoPresetNames } from './grpo/presets.ts';
export type { GrpoPreset, GrpoPresetName } from './grpo/presets.ts';
