/**
 * Answers of the shipped model to eight prompts of a game: 32 visual tokens, 50 to 400 text tokens, answers of four to
 * eight tokens, one by one and batched. Both must give the same answers. Medians of repetitions that take turns.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Random } from '@emac/core';

import { openModelFiles } from '../files/model-files.ts';
import { createGenerator } from '../generation/create-generator.ts';
import type { GenerationRequest, Generator } from '../generation/generator.ts';
import { median } from './median.bench.ts';

const model = fileURLToPath(new URL('../../../emma-tiny/model/', import.meta.url));
const expected = new URL('../../fixtures/emma-tiny/expected.json', import.meta.url);
const textLengths = [52, 400, 110, 350, 170, 290, 230, 75];
const visualLength = 32;

export interface BatchRow {
  readonly beams: number;
  readonly prompts: number;
  /** milliseconds for all prompts */
  readonly oneByOne: number;
  readonly together: number;
  readonly equalTokens: boolean;
}

/** Greedy search and 5 beams, for batches of 8 and fewer. */
export async function batchGenerationBench({ repetitions = 15 } = {}): Promise<BatchRow[]> {
  const { config, weights } = openModelFiles(model);
  const generator = await createGenerator({ config: config.llama, weights });
  const rows: BatchRow[] = [];
  for (const beams of [1, 5])
    for (const prompts of [2, 4, 8]) {
      const all = requests(config.llama.hiddenSize, beams);
      rows.push(await measured(generator, all.slice(0, prompts), { beams, repetitions }));
    }
  await generator.dispose();
  return rows;
}

async function measured(
  generator: Generator,
  asked: readonly GenerationRequest[],
  { beams, repetitions }: { beams: number; repetitions: number },
): Promise<BatchRow> {
  const alone = async () => {
    const texts = [];
    for (const { prompt, options } of asked) texts.push(await generator.generate(prompt, options));
    return texts;
  };
  const ways = [alone, () => generator.generateBatch(asked)];
  const times = ways.map((): number[] => []);
  const tokens = ways.map(() => '');
  for (let repetition = -1; repetition < repetitions; repetition++)
    for (const [way, generate] of ways.entries()) {
      const start = performance.now();
      const texts = await generate();
      if (repetition >= 0) times[way]!.push(performance.now() - start);
      tokens[way] = texts.map((text) => text.tokens.join()).join(';');
    }
  const [oneByOne, together] = times.map(median) as [number, number];
  return { beams, prompts: asked.length, oneByOne, together, equalTokens: tokens[0] === tokens[1] };
}

/** Prompts as they grow in a game: a first observation, then a history. */
function requests(width: number, beams: number): GenerationRequest[] {
  const { scenes } = JSON.parse(readFileSync(expected, 'utf8')) as { scenes: { prompt: number[] }[] };
  const history = scenes[3]!.prompt.slice(70);
  const random = Random.fromSeed('visual tokens');
  return textLengths.map((length, place) => {
    const start = scenes[place % 3]!.prompt.slice(0, 50);
    const rest = length - start.length;
    const told = Array.from({ length: Math.ceil(rest / history.length) }, () => history).flat();
    return {
      prompt: {
        visual: Float32Array.from({ length: visualLength * width }, () => 0.02 * random.normal()),
        tokens: [...start, ...told.slice(-rest)],
      },
      options: { beams, endTokens: [2], lengthPenalty: 0, maxNewTokens: 24 },
    };
  });
}

/** The rows as a readable table. */
export function batchGenerationTable(rows: readonly BatchRow[]): string {
  const head = `${''.padEnd(32)}${['one by one', 'together', 'answers/s', 'ratio'].map((text) => text.padStart(12)).join('')}`;
  const lines = rows.map(({ beams, prompts, oneByOne, together, equalTokens }) =>
    [
      `${prompts} prompts, ${beams === 1 ? 'greedy' : `${beams} beams`}`.padEnd(32),
      ...[oneByOne, together, (1000 * prompts) / together, oneByOne / together].map((number) =>
        number.toFixed(2).padStart(12),
      ),
      equalTokens ? '  same tokens' : '  OTHER TOKENS',
    ].join(''),
  );
  return [head, ...lines].join('\n');
}
