/**
 * Estimates a model's memory from its sizes: weights where they are held, activations of one sample, and the optimizer's state. Not
 * included: the process itself (150 MB), samples, and further samples of a batch. Measured on random float32 models (8 layers of width
 * 512 and 12 of 384; 500 to 1,400 tokens; acting, scoring and one gradient), estimates were between 23 % too low (of 200 MB) and 10 %
 * too high. For Qwen2.5-VL-3B in F16, streamed, they were 10 % too low (`docs/background/benchmarks.md`).
 */
import type { Dtype } from '@emac/files';

import type { LlamaConfig } from '../files/model-config.ts';
import type { ModelFiles } from '../files/model-files.ts';
import type { AdapterTarget } from '../networks/adapter.ts';
import { adaptedModules, projectionWidths } from '../networks/adapter-feeds.ts';
import { embeddingTable, headWeight } from '../streamed/fed-weights.ts';
import type { LayerPlace } from '../streamed/layer-place.ts';

/** Tokens of one prompt with its answer. */
export interface PromptSize {
  readonly visual: number;
  readonly text: number;
  readonly answer: number;
}

export interface MemoryNeed {
  readonly use: 'acting' | `training ${TrainedParts}, activations ${'kept' | 'recomputed'}`;
  readonly bytes: number;
}

type TrainedParts = 'the projection' | 'an adapter' | 'both';

/** The part of an adapter that memory depends on. */
export interface AdapterSize {
  readonly rank: number;
  readonly targets: readonly AdapterTarget[];
}

export interface MemoryOptions {
  readonly layers: LayerPlace;
  readonly prompt: PromptSize;
  readonly adapter: AdapterSize;
}

/** float32 */
const wide = 4;
/** value, gradient and AdamW's two moments; tfjs holds the value once more */
const projectionCopies = 5;
/** value, committed value, gradient, gradient of one run, AdamW's two moments; generation holds committed values of two updates */
const adapterCopies = 8;
/** beams that hold their own keys and values */
const beams = 5;
/** sessions with a copy of resident weights: two for generation; training adds scores and gradients */
const sessions = { acting: 2, training: 4 } as const;
/** matrices [H, S, S] of attention: needed to compute one layer, and kept by the sessions of generation and scores */
const attentionMatrices = { computing: 3, staying: 4 } as const;
/** Further memory of a resident graph, as a multiple of the named values and in attention matrices; measured. */
const resident = { values: 3.4, attentionMatrices: 5 } as const;

/** In the order of the uses; only streamed layers can recompute activations. */
export function memoryOf(
  files: Pick<ModelFiles, 'tensors' | 'config' | 'family'>,
  { layers, prompt, adapter }: MemoryOptions,
): MemoryNeed[] {
  const { llama } = files.config;
  const tokens = prompt.visual + prompt.text + prompt.answer;
  const frozen = frozenBytes(files, layers);
  const attention = wide * llama.heads * tokens ** 2;
  const cache =
    wide * 2 * llama.layers * llama.keyValueHeads * llama.headSize * (tokens + beams * prompt.answer);
  const acting = frozen.acting + wide * frozen.connector + cache + attentionMatrices.computing * attention;
  const logits = wide * 3 * prompt.answer * llama.vocabulary;
  const parts = [
    { name: 'the projection', projection: true, adapter: null },
    { name: 'an adapter', projection: false, adapter },
    { name: 'both', projection: true, adapter },
  ] as const;
  const kinds = layers === 'streamed' ? (['kept', 'recomputed'] as const) : (['kept'] as const);
  return [
    { use: 'acting', bytes: acting },
    ...parts
      .filter(({ projection }) => files.family.vision || !projection)
      .flatMap((part) =>
        kinds.map((activations): MemoryNeed => {
          const pass = wide * tokens * passValues(llama, { layers, activations, adapter: part.adapter });
          const inAttention = attention * attentionCount(layers);
          const trained =
            (part.projection ? projectionCopies : 1) * frozen.connector +
            adapterCopies * (part.adapter ? adapterValues(llama, part.adapter) : 0);
          return {
            use: `training ${part.name}, activations ${activations}`,
            bytes: frozen.training + wide * trained + cache + pass + inAttention + logits,
          };
        }),
      ),
  ];
}

/** The least that acting takes for weights: those it cannot leave in the pages of their files. Half of resident ones lie there. */
export function leastWeightBytes(
  files: Pick<ModelFiles, 'tensors' | 'config' | 'family'>,
  layers: LayerPlace,
): number {
  const { acting } = frozenBytes(files, layers);
  return layers === 'resident' ? acting / sessions.acting : acting;
}

/** Bytes of frozen weights for each use, and the connector's parameters. */
function frozenBytes(
  { tensors, config: { llama }, family }: Pick<ModelFiles, 'tensors' | 'config' | 'family'>,
  layers: LayerPlace,
) {
  const sizes = [...tensors.values()].map(({ name, dtype, shape }) => {
    const size = shape.reduce((product, each) => product * each, 1);
    return { name, size, stored: size * storedBytes(dtype) };
  });
  const sum = (belongs: (name: string) => boolean, of: 'size' | 'stored' = 'size') =>
    sizes.reduce((total, each) => total + (belongs(each.name) ? each[of] : 0), 0);
  const isInLayers = (name: string) => name.startsWith('language_model.model.layers.');
  const connector = sum((name) => name.startsWith('language_projection.'));
  const isOfEye = (name: string) => !/^language_(model|projection)\./.test(name);
  const eye = wide * sum(isOfEye);
  const language = wide * sum((name) => name.startsWith('language_model.'));
  if (layers === 'resident')
    return {
      connector,
      acting: eye + sessions.acting * language,
      training: eye + sessions.training * language,
    };
  const largest = Math.max(...sizes.filter(({ name }) => isInLayers(name)).map(({ size }) => size));
  const head = sizes.find(({ name }) => name === (llama.tiedHead ? embeddingTable : headWeight))!;
  // two layers as stored, one matrix in float32, the head as both; the vision encoder counts pages of its files, but InstructBLIP's is
  // streamed too
  const streamed =
    (family.name === 'instructblip' ? 0 : sum(isOfEye, 'stored')) +
    (2 * sum(isInLayers, 'stored')) / llama.layers +
    wide * largest +
    (wide * head.size + head.stored);
  return { connector, acting: streamed, training: streamed };
}

interface Pass {
  readonly layers: LayerPlace;
  readonly activations: 'kept' | 'recomputed';
  /** the trained adapter */
  readonly adapter: AdapterSize | null;
}

/** Numbers per token held by a forward and backward pass. */
function passValues(llama: LlamaConfig, { layers, activations, adapter }: Pass): number {
  const named = namedValues(llama);
  const inputs = adapter ? adapterInputValues(llama, adapter) : 0;
  const low = adapter ? adapter.rank * adapter.targets.length : 0;
  if (layers === 'resident') return llama.layers * (resident.values * named + inputs + low);
  // the inputs of all layers, and of one layer all that its gradient reads
  const ofOne = named + low;
  return llama.layers * llama.hiddenSize + inputs + (activations === 'kept' ? llama.layers : 1) * ofOne;
}

/** Matrices of attention held at once by a forward and backward pass, which computes each layer's a second time. */
function attentionCount(layers: LayerPlace): number {
  const { computing, staying } = attentionMatrices;
  return staying + (layers === 'resident' ? resident.attentionMatrices : computing);
}

/** Numbers per token read by a layer's backward pass: two norms' inputs, query, key, value, gate and up. */
function namedValues({ hiddenSize, heads, keyValueHeads, headSize, intermediateSize }: LlamaConfig): number {
  return 2 * hiddenSize + (heads + 2 * keyValueHeads) * headSize + 2 * intermediateSize;
}

/** Numbers per token read by the gradients of a layer's A: the inputs of its adapted projections. */
function adapterInputValues(
  { hiddenSize, heads, headSize, intermediateSize }: LlamaConfig,
  { targets }: AdapterSize,
): number {
  const groups: readonly (readonly [readonly AdapterTarget[], number])[] = [
    [['q_proj', 'k_proj', 'v_proj'], hiddenSize],
    [['o_proj'], heads * headSize],
    [['gate_proj', 'up_proj'], hiddenSize],
    [['down_proj'], intermediateSize],
  ];
  return groups
    .filter(([group]) => group.some((target) => targets.includes(target)))
    .reduce((sum, [, width]) => sum + width, 0);
}

/** Numbers of A and B in all layers. */
function adapterValues(llama: LlamaConfig, { rank, targets }: AdapterSize): number {
  return adaptedModules(llama.layers, { targets }).reduce((sum, module) => {
    const { inWidth, outWidth } = projectionWidths(llama, module);
    return sum + rank * (inWidth + outWidth);
  }, 0);
}

function storedBytes(dtype: Dtype): number {
  return dtype === 'F32' ? wide : dtype === 'I8' ? 1 : 2;
}
