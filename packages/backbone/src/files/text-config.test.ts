import { describe, expect, it } from 'vitest';

import { textConfig } from './text-config.ts';

const parse = (object: object) => textConfig(object as never, 'config.json');

describe('the configuration of a language model alone', () => {
  it('takes the defaults of its own class', () => {
    // of LlamaConfig, MistralConfig, Qwen2Config and Qwen3Config in transformers 4.57.1
    expect(parse({})).toMatchObject({
      vocabulary: 32000,
      keyValueHeads: 32,
      headSize: 128,
      maxPositions: 2048,
    });
    expect(parse({ model_type: 'mistral' })).toMatchObject({ intermediateSize: 14336, slidingWindow: 4096 });
    expect(parse({ model_type: 'mistral', sliding_window: null })).not.toHaveProperty('slidingWindow');
    expect(parse({ model_type: 'qwen2' })).toMatchObject({ attentionBias: true, outputBias: false });
    const qwen3 = parse({ model_type: 'qwen3', hidden_size: 1024 });
    expect(qwen3).toMatchObject({ headSize: 128, attentionBias: false, queryKeyNorm: true });
  });

  it.each(['qwen2', 'qwen3'])('reads the windows of %s as transformers goes by them', (model_type) => {
    const qwen = { model_type, num_hidden_layers: 3, use_sliding_window: true, sliding_window: 32 };
    const [sliding, full] = ['sliding_attention', 'full_attention'];
    const windows = (keys: object) => {
      const { slidingWindow, windowLayers } = parse({ ...qwen, ...keys });
      return { slidingWindow, windowLayers };
    };
    const none = { slidingWindow: undefined, windowLayers: undefined };
    // Qwen2Config: without layer_types a layer i ≥ max_window_layers has the window
    expect(windows({ max_window_layers: 0 })).toEqual({ slidingWindow: 32, windowLayers: undefined });
    expect(windows({ max_window_layers: 2 })).toEqual({
      slidingWindow: 32,
      windowLayers: [false, false, true],
    });
    expect(windows({ max_window_layers: 3 })).toEqual(none);
    expect(windows({ max_window_layers: 0, sliding_window: null })).toEqual(none);
    expect(windows({ max_window_layers: 0, use_sliding_window: false })).toEqual(none);
    // with layer_types max_window_layers counts no more
    expect(windows({ layer_types: [sliding, full, sliding] })).toEqual({
      slidingWindow: 32,
      windowLayers: [true, false, true],
    });
    expect(windows({ max_window_layers: 0, layer_types: [full, full, full] })).toEqual(none);
    // transformers 4.57 fails at the first mask here
    expect(() => windows({ use_sliding_window: false, layer_types: [full, full, sliding] })).toThrow(
      /^config\.json: layer_types must name no sliding_attention where use_sliding_window is false/,
    );
    expect(() => windows({ layer_types: [full] })).toThrow(/layer_types must be 3 times one of/);
  });

  it("reads Gemma 3's windows in some layers, and rejects what no published file has", () => {
    const gemma = { model_type: 'gemma3_text', num_hidden_layers: 7, hidden_size: 640 };
    // every sixth layer sees everything, as in Gemma3TextConfig of transformers 4.57.1
    expect(parse(gemma)).toMatchObject({
      windowLayers: [true, true, true, true, true, false, true],
      slidingWindow: 4096,
      windowRopeTheta: 1e4,
      ropeTheta: 1e6,
      tiedHead: true,
      headSize: 256,
      attentionScale: 1 / 16,
      // √640 = 25.298221281347036 in float32
      embeddingScale: 25.298221588134766,
      activation: 'gelu_pytorch_tanh',
    });
    const types = ['full_attention', 'sliding_attention'];
    expect(parse({ ...gemma, num_hidden_layers: 2, layer_types: types }).windowLayers).toEqual([false, true]);
    expect(() => parse({ ...gemma, layer_types: types })).toThrow(/layer_types must be 7 times one of/);
    expect(() => parse({ ...gemma, final_logit_softcapping: 30 })).toThrow(
      /^config\.json: final_logit_softcapping must be null .*got 30/,
    );
  });

  it('reads rotary positions by type of layer, as newer files state them', () => {
    const full_attention = { rope_type: 'linear', factor: 8, rope_theta: 2e6 };
    const sliding_attention = { rope_type: 'default', rope_theta: 5000 };
    const newer = { model_type: 'gemma3_text', rope_parameters: { full_attention, sliding_attention } };
    expect(parse(newer)).toMatchObject({
      ropeTheta: 2e6,
      windowRopeTheta: 5000,
      ropeScaling: { type: 'linear', factor: 8 },
    });
    const older = { model_type: 'gemma3_text', rope_theta: 2e6, rope_local_base_freq: 5000 };
    expect(parse(newer)).toEqual(parse({ ...older, rope_scaling: { rope_type: 'linear', factor: 8 } }));
    const scaled = { full_attention, sliding_attention: { rope_type: 'linear', factor: 8 } };
    expect(() => parse({ ...newer, rope_parameters: scaled })).toThrow(
      /^config\.json: rope_parameters: sliding_attention: rope_type must be default, got "linear"/,
    );
    expect(() => parse({ ...newer, rope_parameters: full_attention })).toThrow(
      /^config\.json: rope_parameters: sliding_attention must be there: each type of layer has its own positions/,
    );
    expect(() => parse({ rope_parameters: { full_attention } })).toThrow(
      /rope_parameters: full_attention must be absent: all layers of this model have one set of positions/,
    );
  });

  it('reads scaled rotary positions, and names the key of a scaling that is unknown or incomplete', () => {
    const rope_scaling = {
      rope_type: 'llama3',
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    };
    expect(parse({ rope_scaling }).ropeScaling).toEqual({
      type: 'llama3',
      factor: 8,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 8192,
    });
    expect(parse({ rope_scaling: { type: 'linear', factor: 2 } }).ropeScaling).toEqual({
      type: 'linear',
      factor: 2,
    });
    expect(() => parse({ rope_scaling: { ...rope_scaling, type: 'linear' } })).toThrow(
      /rope_scaling: type must equal rope_type "llama3" where both are there, got "linear"/,
    );
    expect(() => parse({ rope_scaling: { ...rope_scaling, factor: 0 } })).toThrow(
      /rope_scaling: factor must be above 0, got 0/,
    );
    expect(() => parse({ rope_scaling: { rope_type: 'longrope' } })).toThrow(
      /^config\.json: rope_scaling must be null .*"longrope"/,
    );
    expect(() => parse({ model_type: 'phi3' })).toThrow(
      /model_type must be one of llama, mistral, qwen2, qwen3, gemma3_text .*got "phi3"/,
    );
  });
});
