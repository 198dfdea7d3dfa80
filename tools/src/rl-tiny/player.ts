/** rl-tiny at play as it was shipped, without training: greedy answers in several games at once. */
import { asInstructBlip, loadBackbone, type Backbone } from '@emac/backbone';
import type { Frame } from '@emac/core';

export interface Question {
  readonly frame: Frame;
  readonly prompt: string;
}

export interface PlayerOptions {
  /** its thoughts always go on to a conclusion */
  readonly careful: boolean;
}

/** Answers of a model folder; `dispose` ends it. */
export function openPlayer(folder: string) {
  const backbone = loadBackbone(folder);
  const { tokenizer, visual } = partsOf(backbone);
  const end = tokenizer.endToken!;
  const [goingOn] = tokenizer.encode('; ');
  const generate = async (prompts: readonly { visual: Float32Array; tokens: readonly number[] }[]) => {
    const options = { endTokens: [end], maxNewTokens: 64 };
    const texts = await backbone.generateBatch(prompts.map((prompt) => ({ prompt, options })));
    return texts.map(({ tokens }) => [...tokens].filter((token) => token !== end));
  };
  return {
    async answers(questions: readonly Question[], { careful }: PlayerOptions): Promise<string[]> {
      const prompts: { visual: Float32Array; tokens: number[] }[] = [];
      for (const { frame, prompt } of questions)
        prompts.push({
          visual: await visual(frame),
          tokens: [tokenizer.beginToken!, ...tokenizer.encode(prompt)],
        });
      const said = await generate(prompts);
      if (!careful) return said.map((tokens) => tokenizer.decode(tokens));
      const begun = said.map((tokens) => [
        ...thoughtsOf(tokens, tokenizer.encode('", '), goingOn!),
        goingOn!,
      ]);
      const rest = await generate(
        prompts.map(({ visual, tokens }, place) => ({ visual, tokens: [...tokens, ...begun[place]!] })),
      );
      return rest.map((tokens, place) => tokenizer.decode([...begun[place]!, ...tokens]));
    },
    dispose: () => backbone.dispose(),
  };
}

/** An answer up to where its thoughts end or go on. */
function thoughtsOf(tokens: readonly number[], [ending]: readonly number[], goingOn: number): number[] {
  const first = tokens.findIndex((token) => token === goingOn || token === ending);
  return tokens.slice(0, first < 0 ? tokens.length : first);
}

function partsOf(backbone: Backbone) {
  const { config } = asInstructBlip(backbone.files);
  const [weight, bias] = ['weight', 'bias'].map(
    (part) => backbone.files.read(`language_projection.${part}`).data,
  ) as [Float32Array, Float32Array];
  const [inputs, outputs] = [config.qformer.hiddenSize, config.llama.hiddenSize];
  return {
    tokenizer: backbone.tokenizer(),
    /** [Nq, D] */
    visual: async (frame: Frame): Promise<Float32Array> => {
      const queries = await backbone.encode(frame);
      return Float32Array.from({ length: config.queryTokens * outputs }, (_, at) => {
        const [row, column] = [Math.floor(at / outputs), at % outputs];
        let sum = bias[column]!;
        for (let i = 0; i < inputs; i++) sum += weight[column * inputs + i]! * queries[row * inputs + i]!;
        return sum;
      });
    },
  };
}
