/**
 * Generation: searches and samples over any execution of the language model, one prompt or several together. Prompts
 * are checked here, once, for every execution.
 */
import { EmacError } from '@emac/core';

import { beamSearch } from './search/beam-search.ts';
import { defaultSearch, type SearchOptions } from './search/search-options.ts';
import type { DrawnText, GeneratedText } from './search/generated-text.ts';
import { deepWidth } from '../networks/deep-stack.ts';
import { seesPictures } from '../networks/tokens.ts';
import type { LlamaConfig } from '../files/model-config.ts';
import type { Prompt, PromptExecution, PromptReader } from './prompts/prompt-reader.ts';
import { defaultSampling, sampling, type SamplingOptions } from './search/sampling.ts';

/**
 * Settings of one call; missing ones have Hugging Face's default. The repetition penalty covers `promptTokens` beside
 * the new tokens; by default the prompt's own text tokens.
 */
export type GenerationOptions = Partial<SearchOptions> & Pick<SearchOptions, 'endTokens' | 'maxNewTokens'>;

/** The same for sampling. */
export type SampleOptions = Partial<SamplingOptions> &
  Pick<SamplingOptions, 'endTokens' | 'maxNewTokens' | 'randoms'>;

export interface GenerationRequest {
  readonly prompt: Prompt;
  readonly options: GenerationOptions;
}

export interface SampleRequest {
  readonly prompt: Prompt;
  readonly options: SampleOptions;
}

/** Errors of every call: `data` for a prompt that is too long, `usage` for meaningless settings. */
export interface Generator {
  /** Searches a text for one prompt. */
  generate(prompt: Prompt, options: GenerationOptions): Promise<GeneratedText>;
  /** The same for several prompts of any lengths, computed together: more tokens a second, each a little later. */
  generateBatch(requests: readonly GenerationRequest[]): Promise<GeneratedText[]>;
  /** Samples texts for one prompt, which is read once for all. */
  sample(prompt: Prompt, options: SampleOptions): Promise<DrawnText[]>;
  /**
   * The same for several prompts, computed together. Each text equals the one that its generator gives alone, if no two
   * share a generator.
   */
  sampleBatch(requests: readonly SampleRequest[]): Promise<DrawnText[][]>;
  dispose(): Promise<void>;
}

/** A generator over an execution; it disposes of the execution. */
export function generatorOf(config: LlamaConfig, execution: PromptExecution): Generator {
  const { generateBatch, sampleBatch } = batches(config, execution);
  return {
    generateBatch,
    sampleBatch,
    generate: async (prompt, options) => (await generateBatch([{ prompt, options }]))[0]!,
    sample: async (prompt, options) => (await sampleBatch([{ prompt, options }]))[0]!,
    dispose: () => execution.dispose(),
  };
}

function batches(
  config: LlamaConfig,
  execution: PromptExecution,
): Pick<Generator, 'generateBatch' | 'sampleBatch'> {
  return {
    generateBatch: (requests) =>
      together(requests, { config, execution }, (reader, { prompt, options }) =>
        beamSearch(reader, { ...defaultSearch, promptTokens: prompt.tokens, ...options }),
      ),
    sampleBatch: (requests) =>
      together(requests, { config, execution }, (reader, { prompt, options }) =>
        sampling(reader, { ...defaultSampling, promptTokens: prompt.tokens, ...options }),
      ),
  };
}

interface Request {
  readonly prompt: Prompt;
  readonly options: { readonly maxNewTokens: number };
}

/** One answer for each request, with their steps computed together. If one fails, the others are still computed. */
async function together<Each extends Request, Answer>(
  requests: readonly Each[],
  { config, execution }: { config: LlamaConfig; execution: PromptExecution },
  answer: (reader: PromptReader, request: Each) => Promise<Answer>,
): Promise<Answer[]> {
  if (requests.length === 0) return [];
  for (const { prompt, options } of requests) checkPrompt(config, prompt, options.maxNewTokens);
  const prompts = requests.map(({ prompt }) => prompt);
  const readers = execution.readTogether?.(prompts) ?? prompts.map((prompt) => execution.read(prompt));
  const answers = requests.map((request, place) =>
    released(readers[place]!, (reader) => answer(reader, request)),
  );
  await Promise.allSettled(answers);
  return Promise.all(answers);
}

/** The result of `use` on a reader; the reader is always released. */
async function released<T>(reader: PromptReader, use: (reader: PromptReader) => Promise<T>): Promise<T> {
  try {
    return await use(reader);
  } finally {
    reader.release();
  }
}

function checkPrompt(config: LlamaConfig, { visual, deep, tokens, layout }: Prompt, newTokens: number): void {
  const visualTokens = (visual?.length ?? 0) / config.hiddenSize;
  const total = visualTokens + tokens.length + newTokens;
  if (!Number.isInteger(total) || tokens.length === 0)
    throw new EmacError(
      'internal',
      `generate: needs visual tokens of width ${config.hiddenSize} and a text of one token or more`,
    );
  if ((deep?.length ?? 0) !== visualTokens * deepWidth(config))
    throw new EmacError(
      'internal',
      `generate: needs ${deepWidth(config)} further numbers of each of ${visualTokens} visual tokens, got ${deep?.length ?? 0}`,
    );
  if (visualTokens > 0 && !seesPictures(config))
    throw new EmacError(
      'usage',
      `generate: this model reads text alone, got ${visualTokens} visual tokens; leave them out`,
    );
  if (layout && layout.order.length !== visualTokens + tokens.length)
    throw new EmacError(
      'usage',
      `generate: the layout must have one place for each token, got ${layout.order.length} places for ${visualTokens} visual tokens and ${tokens.length} of text; give the visual tokens of the layout's pictures`,
    );
  if (total > config.maxPositions)
    throw new EmacError(
      'data',
      `generate: prompt and new tokens must fit ${config.maxPositions} positions, got ${total}; shorten the prompt`,
    );
}
