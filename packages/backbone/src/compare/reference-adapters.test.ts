import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { openSafetensors, readFloat32, readInt64 } from '@emac/files';
import { createSession, type Feeds } from '@emac/graph';
import { describe, expect, it } from 'vitest';

import { asInstructBlip } from '../families/as-instructblip.ts';
import { adapterScale, checkAdapter, readAdapter } from '../files/adapter-files.ts';
import { openModelFiles } from '../files/model-files.ts';
import { createGenerator } from '../generation/create-generator.ts';
import { adapterGradient } from '../networks/adapter.ts';
import { adapterFeeds, type AdapterValues } from '../networks/adapter-feeds.ts';
import { createLayeredExecution } from '../streamed/layered-generation.ts';
import { generatorOf, type GenerationRequest, type Generator } from '../generation/generator.ts';
import { comparisonGraph } from './comparison-graph.ts';
import { openComparisonFolder } from './comparison-folder.ts';

/** PEFT's adapters for the comparison folders' models, with PEFT's results (`tools/reference/write_adapters.py`). */
const fixtures = new URL('../../fixtures/', import.meta.url).pathname;
const names = readdirSync(join(fixtures, 'adapters'));

interface Opened {
  readonly values: AdapterValues;
  readonly feeds: Feeds;
}

function open(name: string) {
  const place = join(fixtures, 'adapters', name);
  const config = JSON.parse(readFileSync(join(place, 'adapter_config.json'), 'utf8')) as {
    base_model_name_or_path: string;
  };
  const base = join(fixtures, 'comparison', config.base_model_name_or_path);
  const adapter = readAdapter(place);
  const files = asInstructBlip(openModelFiles(base));
  checkAdapter(adapter, files, place);
  const form = { targets: adapter.settings.targets, dropout: false };
  const values: AdapterValues = { parameters: adapter.parameters, scale: adapterScale(adapter.settings) };
  const feeds = adapterFeeds(files.config.llama, form, values);
  const expected = openSafetensors(join(place, 'expected.safetensors'));
  return { files, adapter, form, values, feeds, expected, comparison: openComparisonFolder(base) };
}

/** Largest difference over the largest number. */
function error(ours: Float32Array, expected: Float32Array, counts: (index: number) => boolean = () => true) {
  let [difference, magnitude] = [0, 0];
  expected.forEach((value, index) => {
    if (!counts(index)) return;
    difference = Math.max(difference, Math.abs(ours[index]! - value));
    magnitude = Math.max(magnitude, Math.abs(value));
  });
  expect(ours).toHaveLength(expected.length);
  expect(magnitude).toBeGreaterThan(0);
  return difference / magnitude;
}

async function computed(
  { files, form, comparison }: Omit<ReturnType<typeof open>, keyof Opened>,
  feeds: Feeds,
): Promise<(name: string) => Float32Array> {
  const { batch, length, inputs } = comparison;
  const queryText = inputs['qformer_input_ids']!.shape[1]!;
  const graph = comparisonGraph(files, { batch, length, queryText, adapter: form });
  const session = await createSession(graph, { threads: 1 });
  try {
    const results = await session.run({ ...inputs, ...feeds } as Feeds);
    return (name) => results[name]!.data as Float32Array;
  } finally {
    await session.dispose();
  }
}

describe("against PEFT's adapters", () => {
  it.each(names)('%s: logits, log-probabilities, loss and the gradients of A and B agree', async (name) => {
    const opened = open(name);
    const result = await computed(opened, opened.feeds);
    const { expected, comparison, adapter } = opened;
    const attended = comparison.inputs['attention_mask']!.data as BigInt64Array;
    const logits = readFloat32(expected, 'logits');
    const vocabulary = logits.length / attended.length;
    const counts = (index: number) => attended[Math.floor(index / vocabulary)] === 1n;
    expect(error(result('logits'), logits, counts)).toBeLessThan(1e-5);
    for (const stage of ['sequence_log_probs', 'loss'])
      expect(error(result(stage), readFloat32(expected, stage)), stage).toBeLessThan(1e-5);
    const gradients = [...expected.tensors.keys()].filter((key) => key.startsWith('grad.'));
    expect(gradients).toHaveLength(adapter.parameters.size);
    for (const key of gradients) {
      const place = key.slice(key.indexOf('layers.'));
      const ours = result(adapterGradient(`language_model.model.${place}`));
      expect(error(ours, readFloat32(expected, key)), key).toBeLessThan(1e-5);
    }
  });

  it.each(names)(
    '%s: generations agree, resident and streamed, in one batch with prompts of the base model',
    async (name) => {
      const { files, comparison, expected, form, values } = open(name);
      const resident = await createGenerator(
        { config: files.config.llama, weights: files.weights, adapter: form },
        { threads: 1 },
      );
      const streamed = generatorOf(
        files.config.llama,
        await createLayeredExecution(files, { threads: 1, adapter: form }),
      );
      for (const generator of [resident, streamed])
        try {
          await generationsAgree(generator, { files, comparison, expected, values });
        } finally {
          await generator.dispose();
        }
    },
  );
});

async function generationsAgree(
  generator: Generator,
  opened: Pick<ReturnType<typeof open>, 'files' | 'comparison' | 'expected' | 'values'>,
): Promise<void> {
  const { files, comparison, expected, values } = opened;
  const ids = Array.from(comparison.inputs['input_ids']!.data as BigInt64Array, Number);
  const projected = comparison.expected('projected');
  const { queryTokens, llama } = files.config;
  const size = queryTokens * llama.hiddenSize;
  const searches = comparison.generations.filter(
    ({ key }) => key.startsWith('generated_0_') || key.startsWith('generated_2_'),
  );
  const requests = searches.flatMap(({ row, promptLength, options }): GenerationRequest[] => {
    const tokens = ids.slice(row * comparison.length + queryTokens, row * comparison.length + promptLength);
    const prompt = { visual: projected.slice(row * size, (row + 1) * size), tokens };
    return [
      { prompt: { ...prompt, adapter: values }, options },
      { prompt, options },
    ];
  });
  const texts = await generator.generateBatch(requests);
  searches.forEach(({ key }, place) => {
    // the fixture numbers greedy search 0 and five beams 1
    const adapted = key.replace('generated_2_', 'generated_1_');
    expect(texts[2 * place]!.tokens, key).toEqual([...readInt64(expected, adapted)].map(Number));
    expect(texts[2 * place + 1]!.tokens, `${key} of the base`).toEqual(comparison.expectedTokens(key));
  });
}
