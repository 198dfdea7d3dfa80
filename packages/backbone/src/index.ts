export { openCheckpoint, withVisionNorm } from './checkpoint.ts';
export type { Checkpoint, VisionNorm } from './checkpoint.ts';
export type { Companions } from './model-source.ts';
export type { HeldTensor, StoredTensor, TensorPlace, TensorTable } from './tensor-table.ts';
export { readTrainedParts } from './trained-parts.ts';
export type { TrainedParts } from './trained-parts.ts';
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
export { attentionBias } from './attention-bias.ts';

export { loadTokenizer, truncateLeft, truncateRight } from './tokenizer.ts';
export type { TextTokenizer } from './tokenizer.ts';
export { imageProcessor, loadImageProcessor } from './image-processor.ts';
export type { ImageProcessor } from './image-processor.ts';
export { resizeBicubic } from './bicubic.ts';

export { beamSearch, defaultSearch } from './beam-search.ts';
export type { SearchOptions } from './beam-search.ts';
export { tokenTrie } from './token-trie.ts';
export type { TokenTrie } from './token-trie.ts';
export { createGenerator, generatorOf } from './generator.ts';
export type {
  GenerationOptions,
  GenerationRequest,
  Generator,
  SampleOptions,
  SampleRequest,
} from './generator.ts';
export type { GeneratedText } from './generated-text.ts';
export type {
  Beam,
  NextLogits,
  NextScores,
  Prompt,
  PromptExecution,
  PromptReader,
  Ranking,
} from './prompt-reader.ts';
export type { LanguageModel } from './generation-graphs.ts';
export { layeredNetworks } from './layered/layered-gradients.ts';
export type {
  Activations,
  LayeredNetworks,
  LayeredOptions,
  Network,
  NetworkSession,
} from './layered/layered-gradients.ts';
export type { NetworkModel } from './layered/fed-weights.ts';
export { loadBackbone } from './backbone.ts';
export type { Backbone, BackboneOptions } from './backbone.ts';
export { int8Checkpoint } from './layered/int8-weights.ts';
export type { Int8Options } from './layered/int8-weights.ts';
export { layerPlace } from './layered/layer-place.ts';
export type { LayerPlace } from './layered/layer-place.ts';
export { compareFolder, withinTolerance } from './compare.ts';
export type { Comparison, ComparisonStage } from './compare.ts';
