import { describe, expect, it } from 'vitest';

import { parseModelConfig } from './model-config.ts';

const parse = (object: object) => parseModelConfig(object as never, 'config.json');

describe('the model configuration', () => {
  it("has Hugging Face's sizes of InstructBLIP-Vicuna-7B where keys are missing", () => {
    const { vision, qformer, llama, queryTokens, imageToken } = parse({});
    expect([vision.hiddenSize, vision.layers, vision.heads, vision.intermediateSize]).toEqual([
      1408, 39, 16, 6144,
    ]);
    expect([vision.imageSize, vision.patchSize, vision.normEpsilon]).toEqual([224, 14, 1e-6]);
    expect([qformer.hiddenSize, qformer.layers, qformer.encoderHiddenSize, qformer.normEpsilon]).toEqual([
      768, 12, 1408, 1e-12,
    ]);
    expect([llama.hiddenSize, llama.layers, llama.heads, llama.keyValueHeads, llama.headSize]).toEqual([
      4096, 32, 32, 32, 128,
    ]);
    expect([llama.ropeTheta, llama.normEpsilon, llama.maxPositions]).toEqual([10000, 1e-6, 2048]);
    expect([queryTokens, imageToken]).toEqual([32, null]);
  });

  it("reads the file's values, null counting as missing", () => {
    const { llama, qformer, imageToken } = parse({
      image_token_index: 32001,
      vision_config: { hidden_size: 32 },
      text_config: {
        hidden_size: 48,
        num_attention_heads: 4,
        num_key_value_heads: 2,
        head_dim: null,
        rope_theta: 5e5,
      },
    });
    expect([llama.keyValueHeads, llama.headSize, llama.ropeTheta]).toEqual([2, 12, 5e5]);
    expect([qformer.encoderHiddenSize, imageToken]).toEqual([32, 32001]);
  });

  it("gives the last vision norm the vision model's ε unless one is stated for it", () => {
    const of = (vision_config: object) => parse({ vision_config }).vision.finalNormEpsilon;
    expect([of({}), of({ layer_norm_eps: 1e-4 })]).toEqual([1e-6, 1e-4]);
    expect(of({ layer_norm_eps: 1e-4, final_layer_norm_eps: 1e-5 })).toBe(1e-5);
  });

  it('holds a count of layers to a thousand, since each takes memory before the file is seen to lack it', () => {
    const refused = /num_hidden_layers must be an integer from 1 to 1000, got 1000000/;
    for (const key of ['text_config', 'vision_config', 'qformer_config'])
      expect(() => parse({ [key]: { num_hidden_layers: 1_000_000 } })).toThrow(refused);
  });

  it('rejects what it cannot compute correctly, naming the key', () => {
    expect(() => parse({ text_config: { model_type: 't5' } })).toThrow(
      /text_config: model_type must be "llama"/,
    );
    expect(() => parse({ text_config: { rope_scaling: { rope_type: 'yarn', factor: 2 } } })).toThrow(
      /text_config: rope_scaling must be null or of type "default", "linear" or "llama3" .*got {"rope_type":"yarn"/,
    );
    expect(() => parse({ text_config: { num_attention_heads: 32, num_key_value_heads: 5 } })).toThrow(
      /num_key_value_heads must divide num_attention_heads 32, got 5/,
    );
    expect(() => parse({ vision_config: { hidden_size: '32' } })).toThrow(
      /vision_config: hidden_size must be a positive integer/,
    );
    expect(() => parse({ vision_config: { hidden_act: 'relu' } })).toThrow(/hidden_act must be gelu/);
    expect(() => parse({ qformer_config: { position_embedding_type: 'relative_key' } })).toThrow(
      /position_embedding_type/,
    );
    expect(() => parse({ model_type: 'llava' })).toThrow(/model_type must be "instructblip"/);
  });
});
