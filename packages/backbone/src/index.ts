export { openCheckpoint } from './checkpoint.ts';
export type { Checkpoint } from './checkpoint.ts';
export { modelIdentity } from './model-identity.ts';
export { parseModelConfig, readModelConfig } from './model-config.ts';
export type { LlamaConfig, ModelConfig, QFormerConfig, VisionConfig } from './model-config.ts';
export { readGenerationConfig } from './generation-config.ts';
export type { GenerationConfig } from './generation-config.ts';
export { expectedTensors } from './expected-tensors.ts';
export type { ExpectedShape } from './expected-tensors.ts';

export type { Weights } from './weights.ts';
export { vision, visionTokens } from './vision.ts';
export { qformer } from './qformer.ts';
export type { QFormerText } from './qformer.ts';
export { llama, llamaLayers } from './llama.ts';
export type { KeysAndValues, LlamaInputs, LlamaOutputs } from './llama.ts';
export { embedTokens, languageModelHead, languageProjection } from './tokens.ts';
export { attentionBias, causalBias } from './attention-bias.ts';

export { loadTokenizer, truncateLeft, truncateRight } from './tokenizer.ts';
export type { TextTokenizer } from './tokenizer.ts';
export { imageProcessor, loadImageProcessor } from './image-processor.ts';
export type { ImageProcessor } from './image-processor.ts';
export { resizeBicubic } from './bicubic.ts';

export { beamSearch, defaultSearch } from './beam-search.ts';
export type { Beam, NextLogits, SearchOptions } from './beam-search.ts';
export { createGenerator } from './generator.ts';
export type { GenerationOptions, Generator, Prompt } from './generator.ts';
export type { LanguageModel } from './generation-graphs.ts';
export { loadBackbone } from './backbone.ts';
export type { Backbone } from './backbone.ts';
export { compareFolder, withinTolerance } from './compare.ts';
export type { Comparison, ComparisonStage } from './compare.ts';
