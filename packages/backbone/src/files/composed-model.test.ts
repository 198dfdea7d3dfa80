/**
 * A model in LAVIS's parts beside the same model as Hugging Face saves it: PyTorch wrote files and expected numbers
 * (`tools/reference/write_torch_files.py`).
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { encodeSafetensors, openSafetensors, readFloat32, readTensor, type TensorBytes } from '@emac/files';
import { createSession, type Value } from '@emac/graph';
import { afterAll, describe, expect, it } from 'vitest';

import { loadBackbone } from '../backbone.ts';
import { asInstructBlip } from '../families/as-instructblip.ts';
import type { InstructBlipConfig } from './model-config.ts';
import { openModelFiles, type ModelFiles } from './model-files.ts';
import { withVisionNorm } from './vision-norm.ts';
import { compareFolder, withinTolerance } from '../compare/compare.ts';
import { openComparisonFolder } from '../compare/comparison-folder.ts';
import { comparisonGraph } from '../compare/comparison-graph.ts';
import { modelIdentity } from './model-identity.ts';
import { isHeld, type TensorTable } from './tensor-table.ts';
import { torchFileOf } from './torch/torch-file.test.support.ts';
import { readTorchTensors } from './torch/torch-file.ts';
import { readTrainedParts } from './trained-parts.ts';
import { openWeightFiles } from './weight-files.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/torch/', import.meta.url));
const whole = join(fixtures, 'whole');
const root = mkdtempSync(join(tmpdir(), 'composed-'));
afterAll(() => rmSync(root, { recursive: true }));

interface Parts {
  readonly lavis: string;
  readonly vision?: string;
  readonly language_model: string;
  readonly config: { readonly vision_config: object };
}

let count = 0;

/** A changed copy of the parts; returns the path of its JSON file. */
function parts(change: (folder: string, json: Parts) => object = (_, json) => json): string {
  const folder = join(root, String(count++));
  cpSync(join(fixtures, 'parts'), folder, { recursive: true });
  const file = join(folder, 'model.json');
  writeFileSync(file, JSON.stringify(change(folder, JSON.parse(readFileSync(file, 'utf8')) as Parts)));
  return file;
}

function bytesOf(table: TensorTable): Map<string, TensorBytes> {
  return new Map(
    [...table].map(([name, tensor]) => {
      if (isHeld(tensor)) return [name, { ...tensor, data: tensor.bytes }];
      return [
        name,
        readTensor({ path: tensor.path, metadata: {}, tensors: new Map([[name, tensor]]) }, name),
      ];
    }),
  );
}

/** Every stage of the comparison folder's inputs. */
async function stages(files: ModelFiles<InstructBlipConfig>): Promise<Record<string, Value>> {
  const { batch, length, inputs } = openComparisonFolder(whole);
  const queryText = inputs['qformer_input_ids']!.shape[1]!;
  const session = await createSession(comparisonGraph(files, { batch, length, queryText }));
  try {
    return await session.run(inputs);
  } finally {
    await session.dispose();
  }
}

function largestError(value: Value | undefined, expected: Float32Array): number {
  const data = value!.data as Float32Array;
  const scale = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return expected.reduce((most, x, index) => Math.max(most, Math.abs(data[index]! - x)), 0) / scale;
}

const openInstructBlip = (place: string) => asInstructBlip(openModelFiles(place));

describe('a model composed of published parts', () => {
  it("computes PyTorch's numbers, bit for bit those of the same model in one folder", async () => {
    const comparison = await compareFolder(whole);
    expect(withinTolerance(comparison)).toBe(true);
    const ours = await stages(openInstructBlip(parts()));
    const folder = await stages(openInstructBlip(whole));
    expect(Object.keys(ours)).toHaveLength(8);
    for (const [stage, { data }] of Object.entries(ours))
      expect([stage, data]).toEqual([stage, folder[stage]!.data]);
  });

  it("has LAVIS's ε in the last vision norm, as the expected numbers show", async () => {
    const expected = openComparisonFolder(whole).expected('vision_hidden_state');
    const huggingFace = parts((_, { config, ...json }) => ({
      ...json,
      config: { ...config, vision_config: { ...config.vision_config, final_layer_norm_eps: 1e-6 } },
    }));
    expect(openInstructBlip(parts()).config.vision.finalNormEpsilon).toBe(1e-5);
    const other = await stages(openInstructBlip(huggingFace));
    expect(largestError(other['vision_hidden_state'], expected)).toBeGreaterThan(1e-2);
  });

  it('takes its sizes from the tensors and from the language model', () => {
    const { config, vocabulary } = openModelFiles(parts());
    expect(config).toEqual(openModelFiles(whole).config);
    expect(vocabulary).toBe(37);
  });

  it('has the identity of the same model in one folder', async () => {
    // these files name </s> as the begin token; LAVIS uses it regardless of the language model's own files
    expect(await modelIdentity(parts())).toBe(await modelIdentity(whole));
    const other = parts((_, json) => ({ ...json, begin_token: '<s>' }));
    expect(await modelIdentity(other)).not.toBe(await modelIdentity(whole));
  });

  it.each([1, 2])('reads the language model from %i safetensors files too', async (shards) => {
    const file = parts((folder) => {
      const vicuna = join(folder, 'vicuna');
      const tensors = [...bytesOf(openWeightFiles(vicuna))];
      rmSync(join(vicuna, 'pytorch_model.bin.index.json'));
      const map: Record<string, string> = {};
      for (let shard = 0; shard < shards; shard++) {
        const name = shards === 1 ? 'model.safetensors' : `model-${shard}.safetensors`;
        const members = new Map(tensors.filter((_, index) => index % shards === shard));
        for (const tensor of members.keys()) map[tensor] = name;
        writeFileSync(join(vicuna, name), encodeSafetensors(members));
      }
      if (shards > 1)
        writeFileSync(join(vicuna, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
      return JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as object;
    });
    expect(await modelIdentity(file)).toBe(await modelIdentity(parts()));
  });

  it('needs no row for the image placeholder, because it is never looked up', async () => {
    const file = parts((folder, json) => {
      const vicuna = join(folder, 'vicuna');
      const tensors = bytesOf(openWeightFiles(vicuna));
      for (const name of ['model.embed_tokens.weight', 'lm_head.weight']) {
        const { dtype, shape, data } = tensors.get(name)!;
        const [rows, width] = shape as [number, number];
        tensors.set(name, { dtype, shape: [rows - 1, width], data: data.slice(0, (rows - 1) * width * 2) });
      }
      writeFileSync(join(vicuna, 'model.safetensors'), encodeSafetensors(tensors));
      return json;
    });
    const files = openInstructBlip(file);
    expect([files.vocabulary, files.config.imageToken]).toEqual([36, 36]);
    const { logits } = await stages(files);
    const all = openComparisonFolder(whole)
      .expected('logits')
      .filter((_, index) => index % 37 !== 36);
    const attended = openComparisonFolder(whole).inputs['attention_mask']!.data as BigInt64Array;
    const valid = (_: number, index: number) => attended[Math.floor(index / 36)] === 1n;
    const ours: Value = { ...logits!, data: (logits!.data as Float32Array).filter(valid) };
    expect(largestError(ours, all.filter(valid))).toBeLessThan(1e-4);
  });

  it('may hold its vision model in the file of the trained parts', async () => {
    const file = parts((folder, { vision, ...json }) => {
      const lavis = bytesOf(readTorchTensors(join(folder, json.lavis), (name) => name));
      const eva = readTorchTensors(join(folder, vision!), (name) => `visual_encoder.${name}`);
      writeFileSync(join(folder, json.lavis), torchFileOf(new Map([...lavis, ...bytesOf(eva)])));
      return json;
    });
    expect(await modelIdentity(file)).toBe(await modelIdentity(parts()));
  });

  it('encodes pictures without text if its Q-Former was saved without its text weights', async () => {
    const file = parts((folder, json) => {
      const lavis = join(folder, json.lavis);
      const readsText =
        /embeddings\.(word|position)|\.(intermediate|output)\.(dense|LayerNorm)\.(weight|bias)$/;
      const keep = (name: string) => (readsText.test(name) && !/attention\.output/.test(name) ? null : name);
      writeFileSync(lavis, torchFileOf(bytesOf(readTorchTensors(lavis, keep))));
      return json;
    });
    const [blind, reading] = [file, parts()].map((each) => loadBackbone(each));
    const pixels = readFloat32(openSafetensors(join(whole, 'inputs.safetensors')), 'pixel_values').slice(
      0,
      432,
    );
    expect(await blind!.features(pixels)).toEqual(await reading!.features(pixels));
    await expect(blind!.features(pixels, [3, 4])).rejects.toThrow(/has no tensor qformer\.embeddings\.word/);
    await Promise.all([blind!.dispose(), reading!.dispose()]);
  });
});

describe('a defect of a composed model', () => {
  const vicunaOnly = (change: (folder: string) => void) =>
    parts((folder, json) => {
      change(join(folder, 'vicuna'));
      return json;
    });
  const withTensors = (change: (tensors: Map<string, TensorBytes>) => void) =>
    parts((folder, json) => {
      const path = join(folder, json.lavis);
      const tensors = bytesOf(readTorchTensors(path, (name) => name));
      change(tensors);
      writeFileSync(path, torchFileOf(tensors));
      return json;
    });

  it.each<[string, () => string, RegExp]>([
    [
      'a key that is none',
      () => parts((_, json) => ({ ...json, visoin: 'x' })),
      /model\.json: must only have.*visoin/,
    ],
    [
      'a size that is none',
      () => parts((_, json) => ({ ...json, config: { ...json.config, vision: {} } })),
      /config must only have the keys.*got vision/,
    ],
    [
      'no trained parts',
      () => parts((_, { lavis, ...json }) => ({ ...json, vision: lavis })),
      /model\.json: lavis must name a \.pth file/,
    ],
    [
      'a part that does not exist',
      () => parts((_, json) => ({ ...json, vision: 'eva.pth' })),
      /vision: .*eva\.pth does not exist/,
    ],
    [
      'no vision model',
      () => parts((_, { vision: _left, ...json }) => json),
      /has no tensor vision_model\.embeddings\.class_embedding/,
    ],
    [
      'one part in the place of another',
      () => parts((_, json) => ({ ...json, lavis: 'eva_vit.pth', vision: 'eva_vit.pth' })),
      /has no tensor query_tokens/,
    ],
    [
      'a tensor in two shards',
      () =>
        vicunaOnly((folder) =>
          cpSync(
            join(folder, 'pytorch_model-00001-of-00002.bin'),
            join(folder, 'pytorch_model-00002-of-00002.bin'),
          ),
        ),
      /must be in pytorch_model-00002-of-00002\.bin, which does not hold it/,
    ],
    [
      'a shard that does not exist',
      () => vicunaOnly((folder) => rmSync(join(folder, 'pytorch_model-00002-of-00002.bin'))),
      /pytorch_model-00002-of-00002\.bin/,
    ],
    [
      'half of a bias',
      () =>
        parts((folder, json) => {
          const path = join(folder, json.vision!);
          const keep = (name: string) => (name === 'blocks.1.attn.v_bias' ? null : name);
          writeFileSync(path, torchFileOf(bytesOf(readTorchTensors(path, keep))));
          return json;
        }),
      /layers\.1\.self_attn\.q_bias: has no v_bias/,
    ],
    [
      'no projection',
      () => withTensors((tensors) => tensors.delete('llm_proj.bias')),
      /has no tensor language_projection\.bias/,
    ],
    [
      'a tensor of another shape',
      () =>
        withTensors((tensors) =>
          tensors.set('llm_proj.bias', { dtype: 'F32', shape: [15], data: new Uint8Array(60) }),
        ),
      /language_projection\.bias must be \[16\].*got \[15\]/,
    ],
    [
      'a tensor of another type',
      () =>
        withTensors((tensors) =>
          tensors.set('llm_proj.bias', { dtype: 'I64', shape: [16], data: new Uint8Array(128) }),
        ),
      /language_projection\.bias must be F32, F16 or BF16, got I64/,
    ],
    [
      'the end of a file',
      () =>
        parts((folder, json) => {
          const path = join(folder, json.vision!);
          writeFileSync(path, readFileSync(path).subarray(0, 9000));
          return json;
        }),
      /eva_vit\.pth: has no zip directory at its end; it was cut short/,
    ],
    [
      'a file of another kind',
      () => join(fixtures, 'tensors.pth'),
      /tensors\.pth: is not a model; give a folder/,
    ],
  ])('is reported: %s', (_, make, message) => {
    const place = make();
    expect(() => openModelFiles(place)).toThrow(message);
  });

  it('two parts with the same tensor are reported, naming both files', () => {
    const file = withTensors((tensors) =>
      tensors.set('llm_model.lm_head.weight', { dtype: 'F32', shape: [1], data: new Uint8Array(4) }),
    );
    expect(() => openModelFiles(file)).toThrow(
      /\.bin: holds language_model\.lm_head\.weight, which .*instruct_blip_trimmed\.pth holds too/,
    );
  });

  it('a tokenizer for SentencePiece only is reported with the command that converts it', () => {
    const file = vicunaOnly((folder) =>
      renameSync(join(folder, 'tokenizer.json'), join(folder, 'tokenizer.model')),
    );
    expect(() => loadBackbone(file).tokenizer()).toThrow(
      /only SentencePiece's tokenizer\.model; make it with transformers/,
    );
  });
});

describe('a published EMMA file', () => {
  const path = join(fixtures, 'emma_checkpoint_0.pth');
  const expected = openSafetensors(join(fixtures, 'emma_checkpoint_0.safetensors'));

  it('gives its projection and its norm', () => {
    const { projection, visionNorm, others } = readTrainedParts(path);
    for (const part of ['weight', 'bias'])
      expect(projection.get(`language_projection.${part}`)!.data).toEqual(
        readFloat32(expected, `llm_proj.${part}`),
      );
    expect(visionNorm).toEqual({
      weight: readFloat32(expected, 'ln_vision.weight'),
      bias: readFloat32(expected, 'ln_vision.bias'),
      epsilon: 1e-5,
    });
    expect(others).toBe(0);
  });

  it("encodes pictures as PyTorch does with that norm, also in a folder with Hugging Face's ε", async () => {
    const folder = join(root, 'epsilon');
    mkdirSync(folder);
    cpSync(whole, folder, { recursive: true });
    const config = JSON.parse(readFileSync(join(whole, 'config.json'), 'utf8')) as Parts['config'];
    const vision_config = { ...config.vision_config, final_layer_norm_eps: undefined };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, vision_config }));
    const files = openInstructBlip(folder);
    expect(files.config.vision.finalNormEpsilon).toBe(1e-6);
    const trained = withVisionNorm(files, readTrainedParts(path).visionNorm!);
    const { vision_hidden_state } = await stages(asInstructBlip(trained));
    expect(largestError(vision_hidden_state, readFloat32(expected, 'vision_hidden_state'))).toBeLessThan(
      1e-5,
    );
    expect(await modelIdentity(trained)).not.toBe(await modelIdentity(files));
  });

  it('counts its unused tensors, and is rejected without a projection', () => {
    expect(readTrainedParts(join(fixtures, 'parts/instruct_blip_trimmed.pth')).others).toBeGreaterThan(50);
    expect(() => readTrainedParts(join(fixtures, 'parts/eva_vit.pth'))).toThrow(
      /eva_vit\.pth: has no tensor for language_projection\.weight/,
    );
  });

  it('is rejected if its sizes differ', () => {
    const norm = { weight: new Float32Array(7), bias: new Float32Array(7), epsilon: 1e-5 };
    expect(() => withVisionNorm(openModelFiles(whole), norm)).toThrow(
      /post_layernorm\.weight must have 8 values, got 7/,
    );
  });
});
