import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { openSafetensors } from '@emac/files';
import { describe, expect, it, onTestFinished } from 'vitest';

import { encodeAdapter, readAdapter } from '../files/adapter-files.ts';
import { picturesWithin, visualFirst } from '../generation/prompts/prompt-layout.ts';
import { visionOf } from './blind.ts';
import { familyOf } from './families.ts';
import { shownPart } from './llava-next.ts';
import { bestResolution } from './pictures/llava-processor.ts';
import { withMaxPixels } from '../files/max-pixels.ts';
import { tablePlaces } from './pictures/patch-places.ts';
import { openModelFiles } from '../files/model-files.ts';
import { loadQwenProcessor, wholeTokens } from './pictures/qwen-processor.ts';
import { scaledWithin } from './pictures/scaled-picture.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/families/', import.meta.url));

describe('model families', () => {
  it('rejects an unknown family by its name', () => {
    expect(() => familyOf({ model_type: 'idefics' }, 'config.json')).toThrow(
      /config\.json: model_type must be one of instructblip, qwen2_vl, qwen2_5_vl, qwen3_vl, llava_next, llava, openvla, idefics3, smolvlm, llama, mistral, qwen2, qwen3, gemma3_text, got "idefics"/,
    );
    expect(familyOf({}, 'config.json').name).toBe('instructblip');
  });
});

describe('an adapter', () => {
  // names as PEFT 0.18 gives them for transformers 4.57.1's classes
  it.each([
    ['instructblip', 'base_model.model.language_model.model.layers.0.self_attn.q_proj'],
    ['qwen2_vl', 'base_model.model.model.language_model.layers.0.self_attn.q_proj'],
    ['qwen2_5_vl', 'base_model.model.model.language_model.layers.0.self_attn.q_proj'],
    ['qwen3_vl', 'base_model.model.model.language_model.layers.0.self_attn.q_proj'],
    ['llava_next', 'base_model.model.model.language_model.layers.0.self_attn.q_proj'],
    ['llava', 'base_model.model.model.language_model.layers.0.self_attn.q_proj'],
    ['idefics3', 'base_model.model.model.text_model.layers.0.self_attn.q_proj'],
    ['smolvlm', 'base_model.model.model.text_model.layers.0.self_attn.q_proj'],
    // its published class has the language model under this name
    ['openvla', 'base_model.model.language_model.model.layers.0.self_attn.q_proj'],
    ['llama', 'base_model.model.model.layers.0.self_attn.q_proj'],
    ['qwen3', 'base_model.model.model.layers.0.self_attn.q_proj'],
    ['gemma3_text', 'base_model.model.model.layers.0.self_attn.q_proj'],
  ])("is written under its family's names and read back (%s)", (name, module) => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-adapter-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const own = 'language_model.model.layers.0.self_attn.q_proj';
    const parameters = new Map([
      [`${own}.lora_A.weight`, { shape: [1, 2], data: Float32Array.of(1, 2) }],
      [`${own}.lora_B.weight`, { shape: [3, 1], data: Float32Array.of(3, 4, 5) }],
    ]);
    const settings = {
      rank: 1,
      alpha: 2,
      rankStabilized: false,
      dropout: 0.25,
      targets: ['q_proj'] as const,
    };
    const family = familyOf({ model_type: name }, 'config.json');
    for (const [file, bytes] of encodeAdapter({ parameters, settings }, { base: null, family }))
      writeFileSync(join(folder, file), bytes);
    const { tensors } = openSafetensors(join(folder, 'adapter_model.safetensors'));
    expect([...tensors.keys()].sort()).toEqual([`${module}.lora_A.weight`, `${module}.lora_B.weight`]);
    expect(readAdapter(folder)).toEqual({ parameters, settings });
  });
});

describe('places in a prompt', () => {
  it('puts visual tokens before the text, counted one by one', () => {
    expect(visualFirst(2, 1)).toEqual({
      order: Int32Array.of(0, 1, 2),
      positions: [Int32Array.of(0, 1, 2)],
      next: 3,
    });
  });

  it('counts a picture by row and column, and continues after its longer side', () => {
    // text 0 | 2 rows of 3: time 1, rows 1 and 2, columns 1 to 3 | text from 4
    const { order, positions, next } = picturesWithin([{ before: 1, tokens: 6, columns: 3 }], {
      text: 2,
      axes: 3,
    });
    expect([...order]).toEqual([6, 0, 1, 2, 3, 4, 5, 7]);
    expect(positions.map((axis) => [...axis])).toEqual([
      [0, 1, 1, 1, 1, 1, 1, 4],
      [0, 1, 1, 1, 2, 2, 2, 4],
      [0, 1, 2, 3, 1, 2, 3, 4],
    ]);
    expect(next).toBe(5);
  });
});

describe('a table of learned positions', () => {
  it('is stretched over the patches of a picture, between four places each', () => {
    // 2 × 4 patches over 3 × 3 places, token by token: rows at 0 and 2, columns at 0, 2/3, 4/3 and 2
    const { corners, shares } = tablePlaces({ rows: 2, columns: 4 }, { merge: 2, side: 3 });
    const of = (patch: number) => [0, 1, 2, 3].map((corner) => Number(corners[corner * 8 + patch]));
    const weights = (patch: number) => [0, 1, 2, 3].map((corner) => shares[corner * 8 + patch]!);
    // row 0, column 1: between the first and second place of the first row
    expect(of(1)).toEqual([0, 1, 3, 4]);
    [1 / 3, 2 / 3, 0, 0].forEach((share, corner) => expect(weights(1)[corner]).toBeCloseTo(share, 6));
    // row 1, column 0 is the third patch: the last row has no row below
    expect(of(2)).toEqual([6, 7, 6, 7]);
    expect(weights(2)).toEqual([1, 0, 0, 0]);
    // row 0, column 2 begins the second token
    expect(of(4)).toEqual([1, 2, 4, 5]);
    [2 / 3, 1 / 3, 0, 0].forEach((share, corner) => expect(weights(4)[corner]).toBeCloseTo(share, 6));
  });
});

describe.each(['qwen2_vl', 'qwen2_5_vl'])('the configuration of %s', (model_type) => {
  const mrope_section = [16, 24, 24];
  const parse = (text_config: object) =>
    familyOf({ model_type }, 'config.json').config({ text_config }, 'config.json');

  it('has positions of three axes, scaled in no way, under either name of their type', () => {
    for (const type of ['mrope', 'default'])
      for (const key of ['type', 'rope_type'])
        expect(parse({ rope_scaling: { mrope_section, [key]: type } }).llama.rotarySections).toEqual(
          mrope_section,
        );
    for (const key of ['type', 'rope_type'])
      expect(() => parse({ rope_scaling: { mrope_section, [key]: 'yarn', factor: 4 } })).toThrow(
        new RegExp(`^rope_scaling: ${key} must be "mrope" or "default" .*got "yarn"`),
      );
  });

  it('has no windows, whichever key asks for them', () => {
    const plain = { rope_scaling: { mrope_section }, num_hidden_layers: 1 };
    expect(parse({ ...plain, layer_types: ['full_attention'] }).llama).not.toHaveProperty('slidingWindow');
    expect(() => parse({ ...plain, layer_types: ['sliding_attention'] })).toThrow(
      /layer_types must name full_attention alone/,
    );
    expect(() => parse({ ...plain, use_sliding_window: true })).toThrow(/use_sliding_window must be false/);
  });
});

describe("Qwen3-VL's configuration", () => {
  const text_config = { head_dim: 8, rope_scaling: { mrope_section: [2, 1, 1] } };
  const parse = (text: object, vision: object = {}) =>
    familyOf({ model_type: 'qwen3_vl' }, 'config.json').config(
      { text_config: { ...text_config, ...text }, vision_config: { out_hidden_size: 4096, ...vision } },
      'config.json',
    );

  it('adds features of as many layers as the language model has', () => {
    expect(parse({}).llama).toMatchObject({
      deepLayers: 3,
      rotaryInterleaved: true,
      rotarySections: [2, 1, 1],
    });
    expect(parse({ num_hidden_layers: 2 }).llama.deepLayers).toBe(2);
    expect(parse({}, { deepstack_visual_indexes: [] }).llama).not.toHaveProperty('deepLayers');
  });

  it('rejects what is not known, by its key', () => {
    expect(() => parse({ rope_scaling: { rope_type: 'yarn', mrope_section: [2, 1, 1] } })).toThrow(
      /^config\.json: text_config: rope_scaling: rope_type must be "default" .*got "yarn"/,
    );
    expect(() => parse({ rope_scaling: { mrope_section: [3, 2, 1] } })).toThrow(
      /must be three numbers that sum to 4/,
    );
    expect(() => parse({}, { deepstack_visual_indexes: [27] })).toThrow(
      /deepstack_visual_indexes must name different layers of the 27, got \[27\]/,
    );
  });
});

describe('picture sizes', () => {
  it('are whole tokens, halves rounded to even, within the limits', () => {
    const limits = { factor: 28, least: 1, most: 28 * 28 * 100 };
    // 42 / 28 = 1.5 → 2, 70 / 28 = 2.5 → 2
    expect(wholeTokens({ width: 42, height: 70 }, limits)).toEqual({ width: 56, height: 56 });
    // 280 × 560 has 200 tokens; by √2: 197.99 × 395.98 → 7 × 14
    expect(wholeTokens({ width: 280, height: 560 }, limits)).toEqual({ width: 196, height: 392 });
    // 28 × 28 grows by √8 to 79.2: 3 × 3
    const grown = wholeTokens({ width: 28, height: 28 }, { ...limits, least: 28 * 28 * 8 });
    expect(grown).toEqual({ width: 84, height: 84 });
    expect(() => wholeTokens({ width: 201, height: 1 }, limits)).toThrow(/200 times/);
  });

  it('are limited by --max-pixels instead of the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-pixels-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'preprocessor_config.json');
    // as Qwen2-VL is published
    writeFileSync(file, JSON.stringify({ min_pixels: 3136, max_pixels: 12845056 }));
    const sizes = { patchSize: 14, temporalPatchSize: 2, mergeSize: 2 };
    const large = { width: 1000, height: 1000 };
    // 1000 / 28 = 35.7 → 36 tokens of 2 patches
    expect(loadQwenProcessor(file, sizes).size(large)).toEqual({ rows: 72, columns: 72 });
    const limited = loadQwenProcessor(file, sizes, 401408);
    // by √(1000² / 401408) = 1.5784: 633.6 / 28 = 22.6 → 22
    expect(limited.size(large)).toEqual({ rows: 44, columns: 44 });
    // 401408 = 512 · 28²
    expect(limited.mostTokens).toBe(512);
    expect(limited.size({ width: 56, height: 84 })).toEqual({ rows: 6, columns: 4 });
    expect(() => loadQwenProcessor(file, sizes, 3135)).toThrow(
      "--max-pixels: must be at least the model's min_pixels, 3136, got 3135",
    );
  });

  it('reject a pixel limit for a model with one fixed size', () => {
    const at = (name: string) => openModelFiles(join(fixtures, name));
    const qwen = at('qwen2_5_vl');
    const frame = { width: 200, height: 200 };
    // max_pixels of its file is 15680: 200 / √(200² / 15680) = 125.2, of 28 each 4.5
    expect(visionOf(qwen).eye(qwen).tokens(frame)).toBe(4 * 4);
    const limited = withMaxPixels(qwen, 100 * 100);
    // 100 / 28 = 3.6
    expect(visionOf(limited).eye(limited).tokens(frame)).toBe(3 * 3);
    expect(() => withMaxPixels(at('llava_next_mistral'), 401408)).toThrow(
      /--max-pixels 401408: .* is a LLaVA-NeXT model, which scales every picture to its own sizes; leave it out/,
    );
  });

  it('stay the same to the model if a picture is scaled before it is sent', () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-pixels-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'preprocessor_config.json');
    writeFileSync(file, JSON.stringify({ min_pixels: 784, max_pixels: 12845056 }));
    const most = 28 * 28 * 6;
    const see = loadQwenProcessor(file, { patchSize: 14, temporalPatchSize: 2, mergeSize: 2 }, most);
    for (const [width, height] of [
      [150, 97],
      [71, 300],
      [84, 57],
      [84, 56],
    ] as const) {
      const data = Uint8Array.from({ length: width * height * 3 }, (_, place) => (place * 7919) % 251);
      const frame = { width, height, data };
      const sent = scaledWithin(frame, most);
      expect(sent.width * sent.height).toBeLessThanOrEqual(most);
      expect(see(sent)).toEqual(see(frame));
      expect(sent === frame).toBe(width * height <= most);
    }
  });

  it('use the resolution that shows most and wastes least, and drop padding', () => {
    const sizes = [
      { width: 56, height: 28 },
      { width: 28, height: 56 },
      { width: 56, height: 56 },
    ];
    expect(bestResolution({ width: 40, height: 20 }, sizes)).toEqual(sizes[0]);
    // 100 × 50 in 8 × 8 patches: 4 rows, two above and below
    expect(shownPart({ width: 100, height: 50 }, { rows: 8, columns: 8 })).toEqual({
      top: 2,
      left: 0,
      rows: 4,
      columns: 8,
    });
  });
});
