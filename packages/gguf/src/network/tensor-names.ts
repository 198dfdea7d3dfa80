/**
 * The tensors of a network by their names in GGUF (gguf-py, tensor_mapping.py) and in a model folder, with shapes. llama.cpp stores
 * the rows of queries and keys of architecture `llama` in another order; `heads` marks them.
 */
import type { Network } from './network.ts';

export interface NamedTensor {
  readonly gguf: string;
  readonly folder: string;
  readonly shape: readonly number[];
  /** number of heads with interleaved rows in GGUF; null: rows in order */
  readonly heads: number | null;
  /** what is added to a folder's values in GGUF: 1 for Gemma's norms, whose weights stand as 1 + w there */
  readonly shift?: number;
}

/** the factors of scaled rotary positions; a folder has them in its configuration */
export const rotaryFactors = 'rope_freqs.weight';

/** Every tensor of the network, in the order of its layers. */
export function namedTensors(network: Network): NamedTensor[] {
  const { layers, vocabulary, hiddenSize: width, tiedHead } = network;
  const plain = (gguf: string, folder: string, shape: number[]) => ({ gguf, folder, shape, heads: null });
  return [
    plain('token_embd.weight', 'model.embed_tokens.weight', [vocabulary, width]),
    ...Array.from({ length: layers }, (_, layer) => layerTensors(network, layer)).flat(),
    { ...plain('output_norm.weight', 'model.norm.weight', [width]), ...shiftOf(network) },
    ...(tiedHead ? [] : [plain('output.weight', 'lm_head.weight', [vocabulary, width])]),
  ];
}

const shiftOf = ({ architecture }: Network) => (architecture === 'gemma3' ? { shift: 1 } : {});

function layerTensors(network: Network, layer: number): NamedTensor[] {
  const { hiddenSize: width, intermediateSize: inner, heads, keyValueHeads, headSize } = network;
  const { architecture, attentionBias, outputBias, feedForwardBias } = network;
  const [queries, keys] = [heads * headSize, keyValueHeads * headSize];
  const interleaved = (count: number) => (architecture === 'llama' ? count : null);
  const tensor = (gguf: string, folder: string, shape: readonly number[]): NamedTensor => ({
    gguf: `blk.${layer}.${gguf}`,
    folder: `model.layers.${layer}.${folder}`,
    shape,
    heads: null,
  });
  const linear = (
    [gguf, folder]: readonly [string, string],
    [out, into]: readonly [number, number],
    options: { readonly bias: boolean; readonly heads?: number | null },
  ): NamedTensor[] =>
    [
      tensor(`${gguf}.weight`, `${folder}.weight`, [out, into]),
      ...(options.bias ? [tensor(`${gguf}.bias`, `${folder}.bias`, [out])] : []),
    ].map((each) => ({ ...each, heads: options.heads ?? null }));
  const norm = (gguf: string, folder: string, size: number) => ({
    ...tensor(`${gguf}.weight`, `${folder}.weight`, [size]),
    ...shiftOf(network),
  });
  const bias = attentionBias;
  return [
    norm('attn_norm', 'input_layernorm', width),
    ...linear(['attn_q', 'self_attn.q_proj'], [queries, width], { bias, heads: interleaved(heads) }),
    ...linear(['attn_k', 'self_attn.k_proj'], [keys, width], { bias, heads: interleaved(keyValueHeads) }),
    ...linear(['attn_v', 'self_attn.v_proj'], [keys, width], { bias }),
    ...linear(['attn_output', 'self_attn.o_proj'], [width, queries], { bias: outputBias }),
    ...(architecture === 'qwen3' || architecture === 'gemma3'
      ? [norm('attn_q_norm', 'self_attn.q_norm', headSize), norm('attn_k_norm', 'self_attn.k_norm', headSize)]
      : []),
    ...(architecture === 'gemma3'
      ? [
          norm('post_attention_norm', 'post_attention_layernorm', width),
          norm('ffn_norm', 'pre_feedforward_layernorm', width),
          norm('post_ffw_norm', 'post_feedforward_layernorm', width),
        ]
      : [norm('ffn_norm', 'post_attention_layernorm', width)]),
    ...linear(['ffn_gate', 'mlp.gate_proj'], [inner, width], { bias: feedForwardBias }),
    ...linear(['ffn_up', 'mlp.up_proj'], [inner, width], { bias: feedForwardBias }),
    ...linear(['ffn_down', 'mlp.down_proj'], [width, inner], { bias: feedForwardBias }),
  ];
}
