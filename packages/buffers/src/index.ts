export { FeatureStore } from './feature-store.ts';
export { fromRecords, toRecords } from './records.ts';
export { createImitationBuffer, createPreferenceBuffer, ReplayBuffer } from './replay-buffer.ts';
export type {
  BufferOptions,
  ImitationBuffer,
  PreferenceBuffer,
  PreferenceBufferOptions,
} from './replay-buffer.ts';
export { openBufferFile } from './buffer-file.ts';
export type { BufferFile } from './buffer-file.ts';
export { sampleIndices } from './sample.ts';
export type { SampleOptions } from './sample.ts';
export type { ImitationTransition, PreferenceTransition, Transition } from './transition.ts';
