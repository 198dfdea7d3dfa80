export { openModelFiles } from './files/model-files.ts';
export { withMaxPixels } from './files/max-pixels.ts';
export { withVisionNorm } from './files/vision-norm.ts';
export type { VisionNorm } from './files/vision-norm.ts';
export type { ModelFiles } from './files/model-files.ts';
export type { Companions } from './files/companions.ts';
export type { HeldTensor, StoredTensor, TensorPlace, TensorTable } from './files/tensor-table.ts';
export { openWeightFiles, weightFileNames } from './files/weight-files.ts';
export { fieldsOf, readJsonObject } from './files/json-object.ts';
export type { Fields, JsonObject } from './files/json-object.ts';
export { encodeTrainedParts, readTrainedParts } from './files/trained-parts.ts';
export type { TrainedParts } from './files/trained-parts.ts';
export { modelIdentity } from './files/model-identity.ts';
export { parseModelConfig, readModelConfig } from './files/model-config.ts';
export type {
  InstructBlipConfig,
  LlamaConfig,
  ModelConfig,
  QFormerConfig,
  VisionConfig,
} from './files/model-config.ts';
export { families } from './families/families.ts';
export { scaledWithin } from './families/pictures/scaled-picture.ts';
export { tensorRows } from './files/tensor-rows.ts';
export { asInstructBlip } from './families/as-instructblip.ts';
export { blind, visionOf } from './families/blind.ts';
export { openVlaActions } from './families/openvla-actions.ts';
export type { OpenVlaActions } from './families/openvla-actions.ts';
export { shownPicture } from './families/family.ts';
export type { Connector, Eye, Family, Sight, Vision } from './families/family.ts';
export { addsUp } from './families/prompts/adds-up.ts';
export { hasNoConversations, spokenForm } from './families/spoken-form.ts';
export type { Conversation, PromptForm, ShownPicture, Turn } from './families/prompts/prompt-form.ts';
export { writtenText } from './families/prompts/written.ts';
export type { SpokenMessage, SpokenPart, Writing, Written } from './families/prompts/written.ts';
export type { GenerationConfig } from './files/generation-config.ts';
export { expectedTensors } from './files/expected-tensors.ts';
export type { ExpectedShape } from './files/expected-tensors.ts';

export type { Weights } from './networks/weights.ts';
export { vision } from './networks/vision.ts';
export { qformer } from './networks/qformer.ts';
export type { QFormerText } from './networks/qformer.ts';
export { llama } from './networks/llama.ts';
export type { KeysAndValues, LlamaInputs, LlamaOutputs } from './networks/llama.ts';
export { adapterGradient, adapterInputs, adapterTargets, isAdapterWeight } from './networks/adapter.ts';
export type { Adapt, AdapterForm, AdapterTarget } from './networks/adapter.ts';
export { columnNumbers, dropoutFeeds, rowNumbers } from './networks/dropout.ts';
export { adaptedModules, adapterFeeds, projectionWidths } from './networks/adapter-feeds.ts';
export type { AdapterValues } from './networks/adapter-feeds.ts';
export {
  adapterLayout,
  adapterOf,
  adapterScale,
  checkAdapter,
  encodeAdapter,
  isAdapterFolder,
  readAdapter,
} from './files/adapter-files.ts';
export type { Adapter, AdapterSettings } from './files/adapter-files.ts';
export {
  embedTokens,
  languageModelHead,
  languageProjection,
  placed,
  needsPicture,
  seesPictures,
} from './networks/tokens.ts';
export { deepFeeds, deepInputs } from './networks/deep-stack.ts';
export { masksOf } from './networks/layer-kinds.ts';
export { attentionBias } from './networks/attention-bias.ts';
export { leastTableRows } from './networks/rotary-tables.ts';

export { boundedTemplate } from './families/prompts/bounded-template.ts';
export { loadTokenizer, readTokenizerJson } from './files/tokenizer.ts';
export type { TextTokenizer } from './files/tokenizer.ts';
export { imageProcessor } from './files/image-processor.ts';
export type { ImageProcessor } from './files/image-processor.ts';

export { visualFirst } from './generation/prompts/prompt-layout.ts';
export type { PromptLayout } from './generation/prompts/prompt-layout.ts';
export { beamSearch } from './generation/search/beam-search.ts';
export { defaultSearch } from './generation/search/search-options.ts';
export type { SearchOptions } from './generation/search/search-options.ts';
export { languages } from './generation/language/language.ts';
export { answerLanguage } from './generation/language/answer-language.ts';
export { tokenLanguage, vocabularyOf } from './generation/language/token-language.ts';
export type { Vocabulary } from './generation/language/token-language.ts';
export { tokenTrie } from './generation/search/token-trie.ts';
export type { TokenTrie } from './generation/search/token-trie.ts';
export { createGenerator } from './generation/create-generator.ts';
export { generatorOf } from './generation/generator.ts';
export type {
  GenerationOptions,
  GenerationRequest,
  Generator,
  SampleOptions,
  SampleRequest,
} from './generation/generator.ts';
export type { DrawnText, GeneratedText } from './generation/search/generated-text.ts';
export type {
  Beam,
  NextLogits,
  NextScores,
  Prompt,
  PromptExecution,
  PromptReader,
  Ranking,
} from './generation/prompts/prompt-reader.ts';
export type { LlamaModel } from './generation/generation-graphs.ts';
export { layeredNetworks } from './streamed/layered-gradients.ts';
export type {
  Activations,
  LayeredNetworks,
  LayeredOptions,
  Network,
  NetworkSession,
} from './streamed/layered-gradients.ts';
export type { NetworkModel } from './streamed/fed-weights.ts';
export { loadBackbone } from './backbone.ts';
export type { Backbone, BackboneOptions } from './backbone.ts';
export { int8CopyPath, int8ModelFiles } from './streamed/int8-weights.ts';
export type { Int8Options } from './streamed/int8-weights.ts';
export { layerPlace } from './streamed/layer-place.ts';
export type { LayerPlace } from './streamed/layer-place.ts';
export { checkModel } from './check/model-check.ts';
export { checkServedFolder } from './check/served-folder.ts';
export type { ServedFolderCheck } from './check/served-folder.ts';
export type { ModelCheck, ModelPart } from './check/model-check.ts';
export { leastWeightBytes } from './check/memory.ts';
export type { MemoryNeed, PromptSize } from './check/memory.ts';
export { compareFolder, withinTolerance } from './compare/compare.ts';
export type { ComparisonStage } from './compare/compare.ts';
export type { Comparison } from './compare/comparison.ts';
