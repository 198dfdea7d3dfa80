/**
 * Generation with a key–value cache: the prompt is read once, at batch 1, and all beams share it; every
 * further step feeds one token per beam. The sessions take prompts of any length, one after the other; they share
 * a thread, where the cache stays.
 */
import { EmacError } from '@emac/core';
import {
  createSessions,
  type Feeds,
  type KeptValue,
  type Session,
  type SessionOptions,
  type Value,
} from '@emac/graph';

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

/** Opens both sessions, in one thread. Errors: those of `createSessions`. */
export async function createGenerator(
  model: LanguageModel,
  options: SessionOptions = {},
): Promise<Generator> {
  const sessions = await createSessions(
    { prefill: prefillGraph(model), decode: decodeGraph(model) },
    options,
  );
  return {
    generate: async (prompt, settings) => {
      const search = { ...defaultSearch, promptTokens: prompt.tokens, ...settings };
      checkLength(model, prompt, search.maxNewTokens);
      const reader = createReader({ model, ...sessions }, prompt);
      try {
        return await beamSearch(reader.next, search);
      } finally {
        reader.release();
      }
    },
    dispose: async () => {
      await Promise.all([sessions.prefill.dispose(), sessions.decode.dispose()]);
    },
  };
}

interface Sessions {
  readonly model: LanguageModel;
  readonly prefill: Session;
  readonly decode: Session;
}

interface Reader {
  readonly next: NextLogits;
  /** gives up the keys and values that are kept in the sessions' thread */
  release(): void;
}

/** Reads a prompt at the first call, then one token of every beam; keys and values stay in the sessions' thread. */
function createReader({ model, prefill, decode }: Sessions, prompt: Prompt): Reader {
  const { hiddenSize } = model.config;
  const cache = cacheNames(model);
  const visualLength = prompt.visual.length / hiddenSize;
  let position = visualLength + prompt.tokens.length;
  let ofPrompt: Record<string, KeptValue> = {};
  let own: Record<string, KeptValue> = {};
  const readPrompt = async () => {
    const visual = { type: 'float32', shape: [visualLength, hiddenSize], data: prompt.visual } as const;
    const read = await prefill.runKeeping({ visual, tokens: integers(prompt.tokens) }, cache);
    ofPrompt = read.kept;
    return read.values;
  };
  const readBeams = async (beams: readonly Beam[]) => {
    const past = Object.keys(own).length === 0 ? emptyCache(model) : prefixed('past_', own);
    const feeds = { ...prefixed('prompt_', ofPrompt), ...past, ...beamFeeds(beams, position++) };
    const step = await decode.runKeeping(feeds, cache);
    decode.release(Object.values(own));
    own = step.kept;
    return step.values;
  };
  return {
    next: async (beams) => rowsOf((await (beams.length === 0 ? readPrompt() : readBeams(beams)))['logits']!),
    release: () => decode.release([...Object.values(ofPrompt), ...Object.values(own)]),
  };
}

function beamFeeds(beams: readonly Beam[], position: number): Feeds {
  return {
    tokens: integers(beams.map(({ token }) => token)),
    parents: integers(beams.map(({ parent }) => parent)),
    position: integers([position]),
  };
}

/** Keys and values that one run gave, under the names by which the next run takes them. */
function prefixed(prefix: string, values: Feeds): Feeds {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}

function cacheNames({ config }: LanguageModel): string[] {
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  return layers.flatMap((layer) => [`key_${layer}`, `value_${layer}`]);
}

function emptyCache(model: LanguageModel): Feeds {
  const { keyValueHeads, headSize } = model.config;
  const empty: Value = { type: 'float32', shape: [1, keyValueHeads, 0, headSize], data: new Float32Array() };
  return Object.fromEntries(cacheNames(model).map((name) => [`past_${name}`, empty]));
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
