export { collectEnvironment } from './collection/collect-environment.ts';
export type { CollectedEnvironment } from './collection/collect-environment.ts';
export { collectRlds } from './collection/collect-rlds.ts';
export type { CollectedRlds } from './collection/collect-rlds.ts';
export { collect } from './collection/collect.ts';
export {
  collectConfig,
  collectSchema,
  environmentCollectionConfig,
  environmentCollectionSchema,
  rldsCollectionConfig,
  rldsCollectionSchema,
} from './collection/collection-config.ts';
export type {
  CollectConfig,
  EnvironmentCollectionConfig,
  RldsCollectionConfig,
} from './collection/collection-config.ts';
export type { EpisodeSettings } from './collection/collection-settings.ts';
export { episodesOf } from './collection/episode-form.ts';
export { requireCollectionForWorkers } from './collection/plan-collection.ts';
export { wholeSpeech, wordedTexts } from './collection/worded-record.ts';
export { examine, markedText, recordReader } from './dataset/examine-data.ts';
export type { Examination, RecordReader, Spread } from './dataset/examine-data.ts';
export { datasetFile } from './dataset/data-files.ts';
export type { Said, SaidRecord } from './dataset/data-forms.ts';
export { openDataset } from './dataset/offline-dataset.ts';
export { BadPicture, withoutPicture } from './dataset/offline-pictures.ts';
export type { SeenPicture } from './dataset/offline-pictures.ts';
export { saidSample } from './dataset/said-sample.ts';
export type { SaidSample } from './dataset/said-sample.ts';
export type { Dataset, DatasetRecord } from './dataset/offline-dataset.ts';
export { openFeatureFile } from './dataset/offline-features.ts';
export type { FeatureFile } from './dataset/offline-features.ts';
export { openJudgements } from './dataset/offline-judgements.ts';
export { leftOutTexts, openLeftOut } from './dataset/offline-left-out.ts';
export type { LeftOutFile, SetName } from './dataset/offline-left-out.ts';
export { requireLengths } from './dataset/offline-lengths.ts';
export { givenPictures } from './dataset/offline-text.ts';
export { fittingSets, openOfflineSets } from './dataset/offline-sets.ts';
export type { FittingSets } from './dataset/offline-sets.ts';
export { datasetPrompt, outputTexts } from './dataset/offline-text.ts';
export { actionSpeaker } from './dataset/offline-text.ts';
export type { PublishedRecord } from './dataset/offline-dataset.ts';
