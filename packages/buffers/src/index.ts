export { FeatureStore } from './feature-store.ts';
export { fromRecords, toRecords } from './records.ts';
export { createImitationBuffer, createPreferenceBuffer } from './replay-buffer.ts';
export type {
  BufferOptions,
  ImitationBuffer,
  PreferenceBuffer,
  PreferenceBufferOptions,
  ReplayBuffer,
} from './replay-buffer.ts';
export { openBufferFile } from './buffer-file.ts';
export type { BufferFile } from './buffer-file.ts';
export { sampleIndices } from './sample.ts';
export type { SampleOptions } from './sample.ts';
export type { Keyed, KeyedPart } from './keyed-transition.ts';
export type { ImitationTransition, Origin, PreferenceTransition, Transition } from './transition.ts';
