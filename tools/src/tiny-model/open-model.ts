/** Opens a tiny model's folder for inference: greedy answers, sampled ones, and token probabilities. */
import { asInstructBlip, loadBackbone, tokenTrie, type Backbone, type TextTokenizer } from '@emac/backbone';
import type { Frame, Random } from '@emac/core';

export interface TinyPrompt {
  /** [Nq, D] */
  readonly visual: Float32Array;
  /** begin token, text, and the answer so far */
  readonly tokens: readonly number[];
}

export interface TinyModel {
  readonly tokenizer: TextTokenizer;
  prompt(frame: Frame, text: string): Promise<TinyPrompt>;
  /** greedy answers, without the end token */
  answers(prompts: readonly TinyPrompt[]): Promise<number[][]>;
  /** one answer each, sampled at temperature 1 from all tokens */
  drawn(prompts: readonly TinyPrompt[], random: Random): Promise<number[][]>;
  /** natural logarithms of the probability of a token as the next one */
  logProbabilities(prompts: readonly TinyPrompt[], token: number): Promise<number[]>;
  dispose(): Promise<void>;
}

/** prompts that are computed together */
const together = 64;
const maxNewTokens = 64;

export function openTinyModel(folder: string): TinyModel {
  const backbone = loadBackbone(folder);
  const tokenizer = backbone.tokenizer();
  const end = tokenizer.endToken!;
  const visual = projection(backbone);
  const withoutEnd = (tokens: readonly number[]) => tokens.filter((token) => token !== end);
  const inParts = async <Result>(
    prompts: readonly TinyPrompt[],
    ask: (part: readonly TinyPrompt[], start: number) => Promise<Result[]>,
  ): Promise<Result[]> => {
    const results: Result[] = [];
    for (let start = 0; start < prompts.length; start += together)
      results.push(...(await ask(prompts.slice(start, start + together), start)));
    return results;
  };
  return {
    tokenizer,
    prompt: async (frame, text) => ({
      visual: visual(await backbone.encode(frame)),
      tokens: [tokenizer.beginToken!, ...tokenizer.encode(text)],
    }),
    answers: (prompts) =>
      inParts(prompts, async (part) => {
        const options = { endTokens: [end], maxNewTokens };
        const texts = await backbone.generateBatch(part.map((prompt) => ({ prompt, options })));
        return texts.map(({ tokens }) => withoutEnd(tokens));
      }),
    drawn: (prompts, random) =>
      inParts(prompts, async (part, start) => {
        const options = { endTokens: [end], maxNewTokens, topK: null };
        const requests = part.map((prompt, place) => ({
          prompt,
          options: { ...options, randoms: [random.stream(start + place)] },
        }));
        return (await backbone.sampleBatch(requests)).map(([text]) => withoutEnd(text!.tokens));
      }),
    logProbabilities: (prompts, token) =>
      inParts(prompts, async (part) => {
        const options = { endTokens: [token], allowed: tokenTrie([[token]]), maxNewTokens: 1 };
        const texts = await backbone.generateBatch(part.map((prompt) => ({ prompt, options })));
        return texts.map(({ logProbabilities }) => logProbabilities[0]!);
      }),
    dispose: () => backbone.dispose(),
  };
}

/** Visual tokens [Nq, D] from the Q-Former's output. */
export function projection({ files }: Backbone): (queries: Float32Array) => Float32Array {
  const { config } = asInstructBlip(files);
  const [weight, bias] = ['weight', 'bias'].map((part) => files.read(`language_projection.${part}`).data) as [
    Float32Array,
    Float32Array,
  ];
  const [inputs, outputs] = [config.qformer.hiddenSize, config.llama.hiddenSize];
  return (queries) =>
    Float32Array.from({ length: config.queryTokens * outputs }, (_, at) => {
      const [row, column] = [Math.floor(at / outputs), at % outputs];
      let sum = bias[column]!;
      for (let i = 0; i < inputs; i++) sum += weight[column * inputs + i]! * queries[row * inputs + i]!;
      return sum;
    });
}
