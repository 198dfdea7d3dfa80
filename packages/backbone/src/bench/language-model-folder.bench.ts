/**
 * A LLaMA with random weights as a folder that Hugging Face's LlamaForCausalLM can read too, so both run the same file:
 * 8 layers of width 512 (8 heads, feed-forward 1376: 25.3 million parameters), embeddings and a separate head.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Random } from '@emac/core';
import { encodeSafetensors, openSafetensors, type TensorData } from '@emac/files';

import type { LlamaModel } from '../generation/generation-graphs.ts';
import type { LlamaConfig } from '../files/model-config.ts';

export interface LanguageModelFolder extends Disposable {
  readonly folder: string;
  readonly model: LlamaModel;
  /** rows of the embedding table, one after the other */
  embed(tokens: readonly number[]): Float32Array;
}

const prefix = 'language_model.';

/** Writes the folder under the system's temporary files; disposing of it deletes it. */
export function languageModelFolder(vocabulary: number): LanguageModelFolder {
  const config = sizes(vocabulary);
  const folder = mkdtempSync(join(tmpdir(), 'emac-bench-'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configFile(config), null, 1));
  const path = join(folder, 'model.safetensors');
  const tensors = randomWeights(config);
  writeFileSync(path, encodeSafetensors(tensors, { format: 'pt' }));
  const file = openSafetensors(path);
  const table = tensors.get('model.embed_tokens.weight')!.data as Float32Array;
  const width = config.hiddenSize;
  return {
    folder,
    model: {
      config,
      weights: (graph) => (name) => {
        const { shape, offset, length } = file.tensors.get(name.slice(prefix.length))!;
        return graph.external(name, 'float32', { shape, file: path, offset, length });
      },
    },
    embed: (tokens) => {
      const rows = new Float32Array(tokens.length * width);
      tokens.forEach((token, row) =>
        rows.set(table.subarray(token * width, (token + 1) * width), row * width),
      );
      return rows;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

function sizes(vocabulary: number): LlamaConfig {
  return {
    vocabulary,
    hiddenSize: 512,
    intermediateSize: 1376,
    layers: 8,
    heads: 8,
    keyValueHeads: 8,
    headSize: 64,
    activation: 'silu',
    maxPositions: 2048,
    normEpsilon: 1e-6,
    ropeTheta: 10000,
    attentionBias: false,
    feedForwardBias: false,
    tiedHead: false,
  };
}

function configFile(config: LlamaConfig): object {
  return {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: config.vocabulary,
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headSize,
    hidden_act: config.activation,
    max_position_embeddings: config.maxPositions,
    rms_norm_eps: config.normEpsilon,
    rope_theta: config.ropeTheta,
    tie_word_embeddings: false,
    bos_token_id: 1,
    eos_token_id: 2,
    pad_token_id: 0,
    torch_dtype: 'float32',
  };
}

/** Uniform weights that keep activations near one in size. */
function randomWeights(config: LlamaConfig): Map<string, TensorData> {
  const { vocabulary, hiddenSize: width, intermediateSize: inner, layers } = config;
  const random = Random.fromSeed('benchmark');
  const matrix = (rows: number, columns: number, spread = 1): TensorData => {
    const scale = spread * Math.sqrt(12 / columns);
    const data = Float32Array.from({ length: rows * columns }, () => scale * (random.uniform() - 0.5));
    return { dtype: 'F32', shape: [rows, columns], data };
  };
  const norm = (): TensorData => ({ dtype: 'F32', shape: [width], data: new Float32Array(width).fill(1) });
  const layer = (index: number): [string, TensorData][] => {
    const named = (name: string, tensor: TensorData): [string, TensorData] => [
      `model.layers.${index}.${name}.weight`,
      tensor,
    ];
    return [
      ...['q', 'k', 'v', 'o'].map((name) => named(`self_attn.${name}_proj`, matrix(width, width))),
      ...['gate', 'up'].map((name) => named(`mlp.${name}_proj`, matrix(inner, width))),
      named('mlp.down_proj', matrix(width, inner)),
      ...['input_layernorm', 'post_attention_layernorm'].map((name) => named(name, norm())),
    ];
  };
  return new Map([
    // width · variance 1/width: rows of size one in every number
    ['model.embed_tokens.weight', matrix(vocabulary, width, Math.sqrt(width))],
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
    ['model.norm.weight', norm()],
    ['lm_head.weight', matrix(vocabulary, width, 2)],
  ]);
}
