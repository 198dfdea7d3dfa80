/**
 * Generation with a key–value cache: the prompt is read once, at batch 1, and all beams share it; every
 * further step feeds one token per beam. The sessions take prompts of any length, one after the other.
 */
import { EmacError } from '@emac/core';
import { createSession, type Session, type SessionOptions, type Value } from '@emac/graph';

import { beamSearch, defaultSearch, type Beam, type NextLogits, type SearchOptions } from './beam-search.ts';
import { decodeGraph, prefillGraph, type LanguageModel } from './generation-graphs.ts';

export interface Prompt {
  /** visual tokens [N, D], before the text */
  readonly visual: Float32Array;
  /** ids of the text, begin token included */
  readonly tokens: readonly number[];
}

/**
 * Settings of one call: what is left out has Hugging Face's default. `promptTokens` are what the repetition
 * penalty covers beside the new tokens; by default the prompt's own text tokens.
 */
export type GenerationOptions = Partial<SearchOptions> & Pick<SearchOptions, 'endTokens' | 'maxNewTokens'>;

export interface Generator {
  /** New token ids, the end token included unless the length ran out. Errors: `data` for a prompt that is too long. */
  generate(prompt: Prompt, options: GenerationOptions): Promise<number[]>;
  dispose(): Promise<void>;
}

/** Opens both sessions. Errors: those of `createSession`. */
export async function createGenerator(
  model: LanguageModel,
  options: SessionOptions = {},
): Promise<Generator> {
  const prefill = await createSession(prefillGraph(model), options);
  const decode = await createSession(decodeGraph(model), options).catch(async (thrown: unknown) => {
    await prefill.dispose();
    throw thrown;
  });
  return {
    generate: async (prompt, settings) => {
      const search = { ...defaultSearch, promptTokens: prompt.tokens, ...settings };
      checkLength(model, prompt, search.maxNewTokens);
      return beamSearch(await nextLogits({ model, prefill, decode }, prompt), search);
    },
    dispose: async () => {
      await Promise.all([prefill.dispose(), decode.dispose()]);
    },
  };
}

interface Sessions {
  readonly model: LanguageModel;
  readonly prefill: Session;
  readonly decode: Session;
}

type Values = Readonly<Record<string, Value>>;

/** Reads the prompt and gives the search its next-token function. */
async function nextLogits({ model, prefill, decode }: Sessions, prompt: Prompt): Promise<NextLogits> {
  const { hiddenSize } = model.config;
  const visualLength = prompt.visual.length / hiddenSize;
  const read = await prefill.run({
    visual: { type: 'float32', shape: [visualLength, hiddenSize], data: prompt.visual },
    tokens: integers(prompt.tokens),
  });
  const promptCache = cacheFeeds(read, 'prompt_');
  let past = emptyCache(model);
  let position = visualLength + prompt.tokens.length;
  return async (beams) => {
    if (beams.length === 0) return rowsOf(read['logits']!);
    const step = await decode.run({ ...promptCache, ...past, ...beamFeeds(beams, position++) });
    past = cacheFeeds(step, 'past_');
    return rowsOf(step['logits']!);
  };
}

function beamFeeds(beams: readonly Beam[], position: number): Values {
  return {
    tokens: integers(beams.map(({ token }) => token)),
    parents: integers(beams.map(({ parent }) => parent)),
    position: integers([position]),
  };
}

/** Keys and values that one run gave, under the names by which the next run takes them. */
function cacheFeeds(values: Values, prefix: string): Values {
  const cached = Object.entries(values).filter(([name]) => name !== 'logits');
  return Object.fromEntries(cached.map(([name, value]) => [`${prefix}${name}`, value]));
}

function emptyCache({ config }: LanguageModel): Values {
  const empty: Value = {
    type: 'float32',
    shape: [1, config.keyValueHeads, 0, config.headSize],
    data: new Float32Array(),
  };
  const names = Array.from({ length: config.layers }, (_, layer) => [
    `past_key_${layer}`,
    `past_value_${layer}`,
  ]);
  return Object.fromEntries(names.flat().map((name) => [name, empty]));
}

function rowsOf({ shape, data }: Value): Float32Array[] {
  const [count, width] = shape as [number, number];
  return Array.from({ length: count }, (_, row) =>
    (data as Float32Array).subarray(row * width, (row + 1) * width),
  );
}

function integers(values: readonly number[]): Value {
  return {
    type: 'int64',
    shape: [values.length],
    data: BigInt64Array.from(values, (value) => BigInt(value)),
  };
}

function checkLength({ config }: LanguageModel, { visual, tokens }: Prompt, newTokens: number): void {
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
