/**
 * Memory that a model needs, estimated from its sizes: weights where they are held, what a pass keeps, and what an
 * optimizer adds. Resident weights are float32; streamed ones are two layers as stored and one layer in float32.
 * Measured on emma-tiny-like and large models it is right within a few tenths; ONNX Runtime's own arena is not in it.
 */
import type { LlamaConfig } from '../files/model-config.ts';
import type { ModelFiles } from '../files/model-files.ts';
import type { LayerPlace } from '../streamed/layer-place.ts';

/** Tokens of one prompt with its answer. */
export interface PromptSize {
  readonly visual: number;
  readonly text: number;
  readonly answer: number;
}

export interface MemoryNeed {
  readonly use:
    | 'acting'
    | 'training the projection, activations kept'
    | 'training the projection, activations recomputed';
  readonly bytes: number;
}

/** float32 */
const wide = 4;
/** value, gradient and AdamW's two moments, each in float32; the value once more where tfjs holds it */
const copiesOfTrained = 5;
/** beams whose last tokens are kept */
const beams = 5;

/** In the order of the uses; streamed layers alone can be computed again. */
export function memoryOf(
  { tensors, config }: Pick<ModelFiles, 'tensors' | 'config'>,
  { layers, prompt }: { readonly layers: LayerPlace; readonly prompt: PromptSize },
): MemoryNeed[] {
  const { llama } = config;
  const parameters = (belongs: (name: string) => boolean) =>
    [...tensors.values()]
      .filter(({ name }) => belongs(name))
      .reduce((sum, { shape }) => sum + shape.reduce((size, each) => size * each, 1), 0);
  const inLayers = (name: string) => name.startsWith('language_model.model.layers.');
  const connector = parameters((name) => name.startsWith('language_projection.'));
  const eye = parameters((name) => !/^language_(model|projection)\./.test(name));
  const language = parameters((name) => name.startsWith('language_model.'));
  const perLayer = parameters(inLayers) / llama.layers;
  const largest = Math.max(
    ...[...tensors.values()]
      .filter(({ name }) => inLayers(name))
      .map(({ shape }) => shape.reduce((a, b) => a * b, 1)),
  );
  const stored = storedBytes(tensors);
  const head = llama.vocabulary * llama.hiddenSize;
  const frozen =
    wide * eye +
    (layers === 'resident'
      ? wide * language
      : 2 * perLayer * stored + wide * largest + (wide + stored) * head);
  const tokens = prompt.visual + prompt.text + prompt.answer;
  const cache =
    wide * 2 * llama.layers * llama.keyValueHeads * llama.headSize * (tokens + beams * prompt.answer);
  const trained = wide * copiesOfTrained * connector;
  const logits = wide * 3 * prompt.answer * llama.vocabulary;
  const kept = wide * tokens * llama.layers * keptPerToken(llama);
  const again = wide * tokens * (llama.layers * llama.hiddenSize + keptPerToken(llama));
  return [
    { use: 'acting', bytes: frozen + wide * connector + cache },
    { use: 'training the projection, activations kept', bytes: frozen + trained + kept + logits },
    ...(layers === 'streamed'
      ? [
          {
            use: 'training the projection, activations recomputed' as const,
            bytes: frozen + trained + again + logits,
          },
        ]
      : []),
  ];
}

/** Numbers of a token that a layer's backward pass reads: two norms' inputs, query, key, value, gate and up. */
function keptPerToken({ hiddenSize, heads, keyValueHeads, headSize, intermediateSize }: LlamaConfig): number {
  return 2 * hiddenSize + (heads + 2 * keyValueHeads) * headSize + 2 * intermediateSize;
}

/** of a number in the language model's first layer */
function storedBytes(tensors: ModelFiles['tensors']): number {
  const dtype = tensors.get('language_model.model.layers.0.self_attn.q_proj.weight')?.dtype;
  return dtype === 'F32' ? wide : dtype === 'I8' ? 1 : 2;
}
