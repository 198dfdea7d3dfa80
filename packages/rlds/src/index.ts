export { createTfRecords } from './records/tfrecord-write.ts';
export type { TfRecordFile } from './records/tfrecord-write.ts';
export { readTfRecords } from './records/tfrecord-read.ts';
export type { TfRecord } from './records/tfrecord-read.ts';
export { decodeExample, encodeExample } from './records/example.ts';
export type { Example, ExampleFeature } from './records/example.ts';
export { isTensor, tensorFeature } from './features/feature.ts';
export type {
  Axis,
  Dtype,
  Feature,
  ImageFeature,
  NumberDtype,
  Tensor,
  TensorData,
  TensorFeature,
  Value,
  ValueDict,
} from './features/feature.ts';
export { featuresJson, readFeatures } from './features/features-json.ts';
export { decodeFeatures } from './features/decode.ts';
export { encodeFeatures } from './features/encode.ts';
export { openDataset } from './dataset/open-dataset.ts';
export type { Dataset, PlacedExample } from './dataset/open-dataset.ts';
export type { DatasetInfo, Split } from './dataset/dataset-info.ts';
export { writeDataset } from './dataset/write-dataset.ts';
export type { WriteOptions } from './dataset/write-dataset.ts';
export { episodes, usualLayout } from './steps/episodes.ts';
export type { RldsEpisode, RldsStep, StepLayout } from './steps/episodes.ts';
export { pictureFormat } from './features/picture.ts';
export { rldsFeatures } from './steps/rlds-features.ts';
export type { RldsParts } from './steps/rlds-features.ts';
export { mixtureNamed, readMixtures } from './mixture/mixtures.ts';
export type { MixtureEntry, Mixtures } from './mixture/mixtures.ts';
export { mixedSteps, stepsOf } from './mixture/mixed-steps.ts';
export type { MixOptions, MixturePart, PlacedStep } from './mixture/mixed-steps.ts';
