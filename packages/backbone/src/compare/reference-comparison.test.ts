import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openSafetensors, readInt64 } from '@emac/files';
import { describe, expect, it } from 'vitest';

import { comparisonStages, compareFolder } from './compare.ts';
import { asInstructBlip } from '../families/as-instructblip.ts';
import { openModelFiles } from '../files/model-files.ts';
import { openComparisonFolder } from './comparison-folder.ts';
import { createGenerator } from '../generation/create-generator.ts';
import type { GenerationRequest } from '../generation/generator.ts';
import { readModelConfig, type InstructBlipConfig } from '../files/model-config.ts';

/** Random models with transformers' results; `tools/reference` describes how they are made. */
const fixtures = new URL('../../fixtures/comparison/', import.meta.url).pathname;
const folders = readdirSync(fixtures);

describe('against Hugging Face transformers', () => {
  it.each(folders)('%s: every stage, the gradients and all tokens agree', async (name) => {
    const { stages, generated } = await compareFolder(join(fixtures, name), { threads: 1 });
    for (const stage of comparisonStages)
      expect(stages[stage], stage).toBeLessThan(stage.startsWith('grad_') ? 1e-3 : 1e-4);
    const keys = generations(name).map(({ key }) => key);
    expect(generated).toEqual(Object.fromEntries(keys.map((key) => [key, true])));
  });

  it.each(['float32', 'grouped-keys', 'tied-head'])(
    '%s: a batch of prompts of different lengths gives the same tokens',
    async (name) => {
      const folder = join(fixtures, name);
      const { config, weights } = asInstructBlip(openModelFiles(folder));
      const { inputs, length, generations, expected, expectedTokens } = openComparisonFolder(folder);
      const ids = Array.from(inputs['input_ids']!.data as BigInt64Array, Number);
      const projected = expected('projected');
      const size = config.queryTokens * config.llama.hiddenSize;
      // Hugging Face's penalty covers the placeholders; LAVIS's covers the begin token only
      const covered = (lavis: boolean, tokens: number[]) => (lavis ? [2] : [config.imageToken!, ...tokens]);
      const requests = generations.map(({ row, promptLength, options }): GenerationRequest => {
        const tokens = ids.slice(row * length + config.queryTokens, row * length + promptLength);
        const visual = projected.slice(row * size, (row + 1) * size);
        const promptTokens = covered(options.definition === 'lavis', tokens);
        return { prompt: { visual, tokens }, options: { ...options, promptTokens } };
      });
      const generator = await createGenerator({ config: config.llama, weights }, { threads: 1 });
      const texts = await generator.generateBatch(requests).finally(() => generator.dispose());
      expect(texts.map((text) => text.tokens)).toEqual(generations.map(({ key }) => expectedTokens(key)));
    },
  );

  it('covers stored types, grouped keys, biases, a tied head, shards, other image sizes and layer counts', () => {
    const stored = new Set(folders.flatMap((name) => weightFiles(name).flatMap(dtypes)));
    expect(stored).toEqual(new Set(['F32', 'F16', 'BF16']));
    const sharded = folders.filter((name) => weightFiles(name).length > 3);
    expect(sharded).toEqual(['sharded']);
    const configs = folders.map((name) => readModelConfig(join(fixtures, name)));
    const having = (holds: (config: InstructBlipConfig) => boolean) => configs.filter(holds).length;
    expect(having(({ llama }) => llama.keyValueHeads < llama.heads)).toBeGreaterThan(1);
    expect(having(({ llama }) => llama.headSize * llama.heads !== llama.hiddenSize)).toBe(1);
    expect(having(({ llama }) => llama.ropeTheta !== 10000)).toBe(1);
    expect(having(({ llama }) => llama.attentionBias && llama.feedForwardBias)).toBe(1);
    expect(having(({ llama }) => llama.tiedHead)).toBe(1);
    expect(having(({ llama }) => llama.layers % 2 === 1)).toBeGreaterThan(1);
    expect(having(({ vision }) => vision.imageSize % vision.patchSize !== 0)).toBe(1);
    expect(having(({ vision }) => vision.layers % 2 === 1)).toBe(1);
    expect(having(({ qformer }) => qformer.crossAttentionFrequency === 3)).toBe(1);
  });

  it('covers both beam-search definitions, and their settings give different texts', () => {
    for (const name of folders) {
      const list = generations(name);
      expect(new Set(list.map(({ definition }) => definition))).toEqual(new Set(['huggingface', 'lavis']));
      const expected = openSafetensors(join(fixtures, name, 'expected.safetensors'));
      const texts = new Set(list.map(({ key }) => String(readInt64(expected, key))));
      expect(texts.size, name).toBeGreaterThan(15);
    }
  });
});

function generations(name: string): { key: string; definition: string }[] {
  const fixture = JSON.parse(readFileSync(join(fixtures, name, 'fixture.json'), 'utf8')) as {
    generation: { key: string; definition: string }[];
  };
  return fixture.generation;
}

function weightFiles(name: string): string[] {
  const files = readdirSync(join(fixtures, name)).filter((file) => /^model.*\.safetensors$/.test(file));
  return files.map((file) => join(fixtures, name, file));
}

function dtypes(file: string): string[] {
  return [...openSafetensors(file).tensors.values()].map(({ dtype }) => dtype);
}
