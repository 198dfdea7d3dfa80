/**
 * Generation after a prompt of 288 positions, 32 of them visual, on a random LLaMA of 25.3 million parameters:
 * milliseconds for the prompt, for every further token, and for a token without a cache (each token reads everything
 * again). `--against-python PYTHON` times Hugging Face's `generate` on the same file in the same run, in turns, and
 * compares the tokens.
 */
import { Random } from '@emac/core';

import { beamSearch } from '../generation/search/beam-search.ts';
import { defaultSearch, type SearchOptions } from '../generation/search/search-options.ts';
import type { GeneratedText } from '../generation/search/generated-text.ts';
import { generatorOf } from '../generation/generator.ts';
import type { LlamaConfig } from '../files/model-config.ts';
import type { NextScores, Prompt, PromptExecution } from '../generation/prompts/prompt-reader.ts';
import { createSessionExecution } from '../generation/session-execution.ts';
import { languageModelFolder } from './language-model-folder.bench.ts';
import { median } from './median.bench.ts';
import { pythonLine, type PythonLine } from './python-line.bench.ts';

export interface GenerationBenchOptions {
  /** a Python with torch and transformers */
  readonly python?: string;
  /** rows of the embedding table and of the head; default 32000, as LLaMA's */
  readonly vocabulary?: number;
  /** default 7 */
  readonly repetitions?: number;
  /** new tokens of the longer run; times per token are the difference of two runs; default 33 */
  readonly newTokens?: number;
}

/** Milliseconds, medians. */
export interface GenerationTimes {
  readonly beams: number;
  /** reading the prompt and choosing one token */
  readonly prompt: number;
  readonly perToken: number;
  /** absent if not requested */
  readonly perTokenWithoutCache?: number;
}

export interface GenerationRow extends GenerationTimes {
  readonly huggingFace?: GenerationTimes & { readonly equalTokens: boolean };
}

interface Timed {
  readonly ms: number;
  readonly tokens: readonly number[];
}

interface Setting {
  readonly beams: number;
  readonly newTokens: number;
  readonly cache: boolean;
}

type Generate = (setting: Setting) => Promise<Timed>;

const promptLength = 288;
const visualLength = 32;

/** Greedy search and 5 beams. */
export async function generationBench(options: GenerationBenchOptions = {}): Promise<GenerationRow[]> {
  const { vocabulary = 32000, repetitions = 7, newTokens = 33, python } = options;
  using files = languageModelFolder(vocabulary);
  const random = Random.fromSeed('prompt');
  const ids = Array.from({ length: promptLength }, () => 3 + random.integer(vocabulary - 3));
  const prompt = { visual: files.embed(ids.slice(0, visualLength)), tokens: ids.slice(visualLength) };
  const execution = await createSessionExecution(files.model);
  const ours = timedGeneration(execution, { config: files.model.config, prompt });
  const script = new URL('../../../../tools/reference/bench_generate.py', import.meta.url).pathname;
  const peer = python === undefined ? undefined : pythonLine(python, [script, files.folder]);
  const theirs = peer && timedPython(peer, ids);
  try {
    const rows: GenerationRow[] = [];
    for (const beams of [1, 5])
      rows.push(await compare([ours, ...(theirs ? [theirs] : [])], { beams, repetitions, newTokens }));
    return rows;
  } finally {
    peer?.end();
    await execution.dispose();
  }
}

interface Plan {
  readonly beams: number;
  readonly repetitions: number;
  readonly newTokens: number;
}

/** Whole `generate` calls in turns; the first side's numbers beside the second's. */
async function compare(
  sides: readonly Generate[],
  { beams, repetitions, newTokens }: Plan,
): Promise<GenerationRow> {
  const settings: Setting[] = [
    { beams, newTokens: 1, cache: true },
    { beams, newTokens, cache: true },
    { beams, newTokens: 5, cache: false },
  ];
  const times = sides.map(() => settings.map((): number[] => []));
  const tokens = sides.map((): string => '');
  for (let repetition = -1; repetition < repetitions; repetition++)
    for (const [place, setting] of settings.entries())
      for (const [side, generate] of sides.entries()) {
        const { ms, tokens: made } = await generate(setting);
        if (place === 1) tokens[side] = made.join();
        if (repetition >= 0) times[side]![place]!.push(ms);
      }
  const [ours, theirs] = times.map(([prompt, whole, without]): GenerationTimes => {
    const [first, all] = [median(prompt!), median(whole!)];
    return {
      beams,
      prompt: first,
      perToken: (all - first) / (newTokens - 1),
      perTokenWithoutCache: (median(without!) - first) / 4,
    };
  });
  const equalTokens = tokens[0] === tokens[1];
  return { ...ours!, ...(theirs && { huggingFace: { ...theirs, equalTokens } }) };
}

function timedGeneration(
  execution: PromptExecution,
  { config, prompt }: { config: LlamaConfig; prompt: Prompt },
): Generate {
  const generator = generatorOf(config, execution);
  return async ({ beams, newTokens, cache }) => {
    const options = { beams, endTokens: [2], minNewTokens: newTokens, maxNewTokens: newTokens };
    const start = performance.now();
    const { tokens } = cache
      ? await generator.generate(prompt, options)
      : await withoutCache(execution, prompt, { ...defaultSearch, promptTokens: prompt.tokens, ...options });
    return { ms: performance.now() - start, tokens };
  };
}

/** The same search, but every step reads the whole text of every beam again, all beams together. */
async function withoutCache(
  execution: PromptExecution,
  prompt: Prompt,
  options: SearchOptions,
): Promise<GeneratedText> {
  let texts: number[][] = [[]];
  const best: NextScores['best'] = async (beams, count) => {
    if (beams.length > 0) texts = beams.map(({ parent, token }) => [...texts[parent]!, token]);
    const readers = execution.readTogether!(
      texts.map((text) => ({ ...prompt, tokens: [...prompt.tokens, ...text] })),
    );
    const rankings = await Promise.all(readers.map((reader) => reader.best!([], count)));
    readers.forEach((reader) => reader.release());
    return rankings.map(([ranking]) => ranking!);
  };
  const next = () => Promise.reject(new Error('this search needs no logits'));
  return beamSearch({ next, best }, options);
}

function timedPython(python: PythonLine, ids: readonly number[]): Generate {
  return async (setting) => {
    const { ms, tokens } = await python.ask({ ...setting, prompt: ids });
    return { ms: ms as number, tokens: tokens as number[] };
  };
}

/** The rows as a readable table. */
export function generationTable(rows: readonly GenerationRow[]): string {
  const line = (what: string, times: GenerationTimes, note = ''): string =>
    [
      `${what}, ${times.beams === 1 ? 'greedy' : `${times.beams} beams`}`.padEnd(32),
      ...[times.prompt, times.perToken, times.perTokenWithoutCache ?? NaN].map((ms) =>
        ms.toFixed(2).padStart(12),
      ),
      note,
    ].join('');
  const head = `${''.padEnd(32)}${'prompt'.padStart(12)}${'ms a token'.padStart(12)}${'no cache'.padStart(12)}`;
  const lines = rows.flatMap((row) => {
    const { huggingFace } = row;
    if (!huggingFace) return [line('generation', row)];
    const ratio = (huggingFace.perToken / row.perToken).toFixed(2);
    const same = huggingFace.equalTokens ? 'same tokens' : 'OTHER TOKENS';
    return [line('generation', row, `  ${ratio} × as fast, ${same}`), line('Hugging Face', huggingFace)];
  });
  return [head, ...lines].join('\n');
}
