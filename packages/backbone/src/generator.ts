/**
 * Generation: searches and samples over any way of executing the language model, one prompt at a time or several
 * together. Prompts are checked here, once, for every execution.
 */
import { EmacError, type Random } from '@emac/core';
import type { SessionOptions } from '@emac/graph';

import { beamSearch, defaultSearch, type SearchOptions } from './beam-search.ts';
import type { LanguageModel } from './generation-graphs.ts';
import type { LlamaConfig } from './model-config.ts';
import { defaultSampling, nucleusSampling, type SamplingOptions } from './nucleus-sampling.ts';
import type { Prompt, PromptExecution, PromptReader } from './prompt-reader.ts';
import { createSessionExecution } from './session-execution.ts';

/**
 * Settings of one call: what is left out has Hugging Face's default. `promptTokens` are what the repetition
 * penalty covers beside the new tokens; by default the prompt's own text tokens.
 */
export type GenerationOptions = Partial<SearchOptions> & Pick<SearchOptions, 'endTokens' | 'maxNewTokens'>;

/** The same for sampling; `random` is drawn from. */
export type SampleOptions = Partial<SamplingOptions> &
  Pick<SamplingOptions, 'endTokens' | 'maxNewTokens'> & { readonly random: Random };

export interface GenerationRequest {
  readonly prompt: Prompt;
  readonly options: GenerationOptions;
}

export interface Generator {
  /** New token ids, the end token included unless the length ran out. Errors: `data` for a prompt that is too long; `usage`. */
  generate(prompt: Prompt, options: GenerationOptions): Promise<number[]>;
  /** The same for several prompts of any lengths, computed together: more tokens a second, each a little later. */
  generateBatch(requests: readonly GenerationRequest[]): Promise<number[][]>;
  /** Texts drawn at random after one prompt. Errors: as `generate`. */
  sample(prompt: Prompt, options: SampleOptions): Promise<number[][]>;
  dispose(): Promise<void>;
}

/** A generator in sessions of its own. Errors: those of `createSessions`. */
export async function createGenerator(
  model: LanguageModel,
  options: SessionOptions = {},
): Promise<Generator> {
  return generatorOf(model.config, await createSessionExecution(model, options));
}

/** A generator over an execution, which it disposes of. */
export function generatorOf(config: LlamaConfig, execution: PromptExecution): Generator {
  const generateBatch = async (requests: readonly GenerationRequest[]) => {
    if (requests.length === 0) return [];
    for (const { prompt, options } of requests) checkPrompt(config, prompt, options.maxNewTokens);
    const prompts = requests.map(({ prompt }) => prompt);
    const readers = execution.readTogether?.(prompts) ?? prompts.map((prompt) => execution.read(prompt));
    return Promise.all(
      requests.map(({ prompt, options }, place) =>
        released(readers[place]!, (reader) =>
          beamSearch(reader, { ...defaultSearch, promptTokens: prompt.tokens, ...options }),
        ),
      ),
    );
  };
  return {
    generateBatch,
    generate: async (prompt, options) => (await generateBatch([{ prompt, options }]))[0]!,
    sample: async (prompt, options) => {
      checkPrompt(config, prompt, options.maxNewTokens);
      return released(execution.read(prompt), (reader) =>
        nucleusSampling(reader, { ...defaultSampling, promptTokens: prompt.tokens, ...options }),
      );
    },
    dispose: () => execution.dispose(),
  };
}

/** What `use` makes of a reader, which is released whatever happens. */
async function released<T>(reader: PromptReader, use: (reader: PromptReader) => Promise<T>): Promise<T> {
  try {
    return await use(reader);
  } finally {
    reader.release();
  }
}

function checkPrompt(config: LlamaConfig, { visual, tokens }: Prompt, newTokens: number): void {
  const total = visual.length / config.hiddenSize + tokens.length + newTokens;
  if (!Number.isInteger(total) || tokens.length === 0)
    throw new EmacError(
      'internal',
      `generate: needs visual tokens of width ${config.hiddenSize} and a text of one token or more`,
    );
  if (total > config.maxPositions)
    throw new EmacError(
      'data',
      `generate: prompt and new tokens must fit ${config.maxPositions} positions, got ${total}; shorten the prompt`,
    );
}
