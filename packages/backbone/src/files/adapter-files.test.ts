/**
 * Which of PEFT's adapters are accepted and rejected, and how they are written; `compare/reference-adapters.test.ts`
 * compares the numbers.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import { afterAll, describe, expect, it } from 'vitest';

import { instructBlip } from '../families/instructblip.ts';
import { llavaNext } from '../families/llava-next.ts';
import { qwen25Vl } from '../families/qwen-vl.ts';
import { adapterScale, encodeAdapter, readAdapter, type Adapter } from './adapter-files.ts';

const fixture = fileURLToPath(new URL('../../fixtures/adapters/all-linear', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'emac-adapter-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The fixture with changed settings. */
function changed(changes: object): string {
  const folder = join(root, String(readdirSync(root).length));
  cpSync(fixture, folder, { recursive: true });
  const file = join(folder, 'adapter_config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...config, ...changes }));
  return folder;
}

describe('an adapter as PEFT writes it', () => {
  it.each([
    // adapted projections follow from the tensors
    { target_modules: 'all-linear' },
    { target_modules: '.*layers.*_proj', exclude_modules: ['lm_head'] },
    { layers_to_transform: [0, 1], layers_pattern: 'layers' },
    { init_lora_weights: 'gaussian' },
    { modules_to_save: [], rank_pattern: {}, trainable_token_indices: null, eva_config: null },
  ])('reads the same with %j', (changes) => {
    expect(readAdapter(changed(changes))).toEqual(readAdapter(fixture));
  });

  it.each([
    { modules_to_save: ['embed_tokens'] },
    { rank_pattern: { q_proj: 3 } },
    { alpha_pattern: { q_proj: 3 } },
    { target_parameters: ['experts'] },
    { trainable_token_indices: [3] },
    { layer_replication: [[0, 2]] },
    { alora_invocation_tokens: [5] },
    { arrow_config: { top_k: 2 } },
    { bias: 'lora_only' },
    { bias: 'all' },
    { use_dora: true },
    { lora_bias: true },
    { fan_in_fan_out: true },
    { use_qalora: true },
    { init_lora_weights: 'pissa_niter_4' },
    { init_lora_weights: 'loftq' },
    { init_lora_weights: 'olora' },
    { lora_dropout: 1 },
    { peft_type: 'ADALORA' },
  ])('is rejected by name with %j', (changes) => {
    const [key, value] = Object.entries(changes)[0]!;
    const folder = changed(changes);
    expect(() => readAdapter(folder)).toThrow(`adapter_config.json: ${key} `);
    expect(() => readAdapter(folder)).toThrow(`, got ${JSON.stringify(value)}`);
  });

  it('divides α by the root of the rank with use_rslora, else by the rank', () => {
    const { settings } = readAdapter(changed({ use_rslora: true }));
    expect(settings.rankStabilized).toBe(true);
    // 32 / √16 and 32 / 16
    expect(adapterScale({ ...settings, rank: 16, alpha: 32 })).toBe(8);
    expect(adapterScale({ ...readAdapter(fixture).settings, rank: 16, alpha: 32 })).toBe(2);
  });

  it('is rejected if one projection has two, or if it adapts the vision encoder', () => {
    const [file, folder] = [openSafetensors(join(fixture, 'adapter_model.safetensors')), changed({})];
    const tensors = [...file.tensors.values()].map(
      ({ name, shape }) => [name, { shape, data: readFloat32(file, name) }] as const,
    );
    const [[name, tensor]] = tensors as [(typeof tensors)[number]];
    for (const [other, message] of [
      [
        name.replace('lora_A', 'lora_A.second'),
        /lora_A.* is a second tensor of one projection; save one adapter alone/,
      ],
      [
        'base_model.model.vision_model.encoder.layers.0.self_attn.q_proj.lora_A.weight',
        /not a projection of the language/,
      ],
    ] as const) {
      writeFileSync(join(folder, 'adapter_model.safetensors'), encodeFloats([...tensors, [other, tensor]]));
      expect(() => readAdapter(folder)).toThrow(message);
    }
  });
});

describe('a written adapter', () => {
  const written = (adapter: Adapter, family: Parameters<typeof encodeAdapter>[1]['family']) => {
    const files = encodeAdapter(adapter, { base: null, family });
    const config = JSON.parse(Buffer.from(files.get('adapter_config.json')!).toString()) as {
      target_modules: string[];
    };
    return { files, targets: config.target_modules };
  };

  it.each([
    [instructBlip, 'language_model.model.layers.1.self_attn.v_proj'],
    [llavaNext, 'model.language_model.layers.1.self_attn.v_proj'],
    [qwen25Vl, 'model.language_model.layers.1.self_attn.v_proj'],
  ] as const)("names only the language model's projections, by their paths", (family, expected) => {
    const { parameters, settings } = readAdapter(fixture);
    // one layer only, as with PEFT's `layers_to_transform`
    const own = [...parameters].filter(([name]) => /layers\.1\.self_attn\.v_proj/.test(name));
    const adapter = { parameters: new Map(own), settings: { ...settings, targets: ['v_proj'] as const } };
    expect(written(adapter, family).targets).toEqual([expected]);
  });

  it('reads back unchanged', () => {
    const adapter = readAdapter(fixture);
    const { files, targets } = written(adapter, qwen25Vl);
    expect(targets).toHaveLength(adapter.parameters.size / 2);
    const folder = changed({});
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    expect(readAdapter(folder)).toEqual(adapter);
  });
});
