export { conditionWords, unmet } from './conditions.ts';
export type { Subject } from './conditions.ts';
export { isSaid, ofProgram, requireEffect } from './require-effect.ts';
export type { JudgedSettings, Layer } from './require-effect.ts';
export { statedSettings } from './stated-settings.ts';
export type { SettingNode, StatedSetting } from './stated-settings.ts';
export {
  evaluationConfig,
  requireDraws,
  evaluationSchema,
  requireFittingEvaluation,
  servingSchema,
} from './evaluation-config.ts';
export type { EvaluationConfig } from './evaluation-config.ts';
export {
  changeableOfLanguageModel,
  expertSchema,
  languageModelSchema,
  serviceSchema,
} from './groups/expert.ts';
export type { ExpertConfig, LanguageModelConfig, ServiceConfig } from './groups/expert.ts';
export { adapterOfPreset, defaultAdapter } from './fresh-adapter.ts';
export { foundForPpo } from './found-by-trial.ts';
export type { FreshAdapter } from './fresh-adapter.ts';
export {
  adapterOfGrpoPreset,
  grpoConfig,
  grpoDefaults,
  grpoPresetConfig,
  grpoSchema,
  grpoSettingsOf,
  lewisRoles,
  ofOneRole,
  sendForms,
  untrained,
} from './grpo-config.ts';
export type { GivenGrpoConfig, GrpoConfig, GrpoRunConfig, LewisRole } from './grpo-config.ts';
export { intervalOf } from './groups/checkpoint-every.ts';
export type { CheckpointEvery } from './groups/checkpoint-every.ts';
export { stalenessNote } from './max-staleness.ts';
export {
  actingModelSchema,
  defaultParallel,
  defaultSpeech,
  gamesText,
  heldOutSuite,
  modelIn,
  modelSchema,
  parallelSchema,
  speechSchema,
} from './groups/model.ts';
export type { ModelConfig, SpeechConfig } from './groups/model.ts';
export { ppoSchema, ppoSettingsOf } from './ppo-config.ts';
export type { GivenPpoConfig, PpoConfig } from './ppo-config.ts';
export { shippedModelFolder, shippedModels } from './shipped-models.ts';
export { smallNetworkOf, smallNetworks } from './small-networks.ts';
export { pathFrom } from './path-from.ts';
export { begunBy, fromDirectory, laterConfig, readStoredConfig, storedConfig } from './stored-config.ts';
export type { GivenSettings, RunCommand } from './stored-config.ts';
export { checked, merged, valueAtPath } from './merged.ts';
export { presetConfig, trainConfig, trainSchema } from './train-config.ts';
export type { GivenTrainConfig, TrainConfig } from './train-config.ts';
export {
  inlineName,
  installedPackage,
  agentIn,
  agentName,
  isAgentName,
  isEnvironmentModule,
  isMcpName,
  mcpServerIn,
  isInlineEnvironment,
  lewisEnvironments,
  lewisGame,
  openEnvPrefix,
  remotePrefix,
  usualEnvironment,
  usualModel,
} from './usual-environment.ts';
export type { InstalledPackage } from './usual-environment.ts';
export { usualObserve } from './usual-observe.ts';
export { programVersions } from './version.ts';
export { worldSchema } from './groups/world.ts';
export type { WorldConfig } from './groups/world.ts';
