export { begunBy } from './begun-by.ts';
export { evaluationConfig, evaluationSchema, servingSchema } from './evaluation-config.ts';
export type { EvaluationConfig } from './evaluation-config.ts';
export {
  changeableOfLanguageModel,
  expertSchema,
  languageModelSchema,
  serviceSchema,
} from './expert-config.ts';
export type { ExpertConfig, LanguageModelConfig, ServiceConfig } from './expert-config.ts';
export {
  requireFittingEvaluation,
  requireFittingObserve,
  requireFittingTraining,
} from './fitting-environment.ts';
export { adapterOfPreset, defaultAdapter } from './fresh-adapter.ts';
export type { FreshAdapter } from './fresh-adapter.ts';
export {
  adapterOfGrpoPreset,
  grpoConfig,
  grpoPresetConfig,
  grpoSchema,
  grpoSettingsOf,
  lewisGame,
  lewisRoles,
  sendForms,
  untrained,
} from './grpo-config.ts';
export type { GivenGrpoConfig, GrpoConfig, LewisRole } from './grpo-config.ts';
export { inferenceSchema } from './inference-config.ts';
export { stalenessNote } from './max-staleness.ts';
export {
  actingModelSchema,
  defaultParallel,
  defaultSpeech,
  gamesText,
  modelSchema,
  parallelSchema,
  speechSchema,
} from './model-config.ts';
export type { ModelConfig, SpeechConfig } from './model-config.ts';
export { ppoSchema, ppoSettingsOf } from './ppo-config.ts';
export type { GivenPpoConfig, PpoConfig } from './ppo-config.ts';
export { shippedModelFolder, shippedModels } from './shipped-models.ts';
export { modelOf, policyFrom, smallNetworkOf } from './small-networks.ts';
export { fromDirectory, laterConfig, pathFrom, readStoredConfig, storedConfig } from './stored-config.ts';
export type { GivenSettings, StoredConfig } from './stored-config.ts';
export { grpoFromDirectory, isLewisRun, ofOneRole, readStoredGrpo, storedGrpo } from './stored-grpo.ts';
export type { GrpoRunConfig } from './stored-grpo.ts';
export { ppoFromDirectory, storedPpo, storedPpoConfig } from './stored-ppo.ts';
export { checked, merged, presetConfig, trainConfig, trainSchema } from './train-config.ts';
export type { GivenTrainConfig, TrainConfig } from './train-config.ts';
export {
  inlineName,
  installedPackage,
  isEnvironmentModule,
  isInlineEnvironment,
  lewisEnvironments,
  remotePrefix,
  usualEnvironment,
  usualModel,
} from './usual-environment.ts';
export type { InstalledPackage } from './usual-environment.ts';
export { programVersions } from './version.ts';
export { worldSchema } from './world-config.ts';
export type { WorldConfig } from './world-config.ts';
