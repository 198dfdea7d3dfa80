import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Random } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openModelFiles } from '../files/model-files.ts';
import type { GeneratedText } from '../generation/search/generated-text.ts';
import { createGenerator } from '../generation/create-generator.ts';
import { generatorOf, type Generator } from '../generation/generator.ts';
import { smallConfig, writeRandomFolder } from '../files/random-model.test.support.ts';
import { createLayeredExecution } from './layered-generation.ts';

describe('generation through streamed layers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'layered-'));
  const config = {
    ...smallConfig,
    text_config: { ...smallConfig.text_config, num_hidden_layers: 3 },
  };
  const width = smallConfig.text_config.hidden_size;
  let streamed: Generator;
  let whole: Generator;
  beforeAll(async () => {
    writeRandomFolder(folder, { config });
    const model = openModelFiles(folder);
    const { llama } = model.config;
    streamed = generatorOf(llama, await createLayeredExecution(model, { threads: 1 }));
    whole = await createGenerator({ config: llama, weights: model.weights }, { threads: 1 });
  });
  afterAll(async () => {
    await Promise.all([streamed.dispose(), whole.dispose()]);
    rmSync(folder, { recursive: true });
  });

  const random = Random.fromSeed('prompts');
  const prompts = [4, 9, 1].map((length) => ({
    visual: Float32Array.from({ length: 3 * width }, () => random.normal()),
    tokens: Array.from({ length }, () => random.integer(41)),
  }));

  it('finds the same texts and log-probabilities for a batch as the whole network for each prompt', async () => {
    const settings = [{ beams: 3 }, {}, { beams: 2, repetitionPenalty: 1.3 }];
    const requests = prompts.map((prompt, place) => ({
      prompt,
      options: { ...settings[place], maxNewTokens: 6, endTokens: [2] },
    }));
    for (const [place, text] of (await streamed.generateBatch(requests)).entries())
      expectSame(text, await whole.generate(requests[place]!.prompt, requests[place]!.options));
  });

  it('samples the same texts for a batch as the whole network for each prompt', async () => {
    const request = (place: number) => ({
      prompt: prompts[place]!,
      options: {
        randoms: ['a', 'b'].map((name) => Random.fromSeed(`${place} ${name}`)),
        maxNewTokens: 6,
        endTokens: [2],
      },
    });
    const drawn = await streamed.sampleBatch([0, 1, 2].map(request));
    for (const [place, texts] of drawn.entries()) {
      const { prompt, options } = request(place);
      const expected = await whole.sample(prompt, options);
      texts.forEach((text, sample) => expectSame(text, expected[sample]!));
    }
  });
});

function expectSame(ours: GeneratedText, theirs: GeneratedText): void {
  expect(ours.tokens).toEqual(theirs.tokens);
  ours.logProbabilities.forEach((each, place) =>
    expect(each).toBeCloseTo(theirs.logProbabilities[place]!, 4),
  );
}
