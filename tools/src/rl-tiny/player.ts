/** The shipped rl-tiny at play: greedy answers in several concurrent games. */
import type { Frame } from '@emac/core';
import { openTinyModel, type TinyPrompt } from '../tiny-model/open-model.ts';

export interface Question {
  readonly frame: Frame;
  readonly prompt: string;
}

export interface PlayerOptions {
  /** its thoughts always continue to a conclusion */
  readonly careful: boolean;
}

/** Answers of a model folder; `dispose` ends it. */
export function openPlayer(folder: string) {
  const model = openTinyModel(folder);
  const { tokenizer } = model;
  const [goingOn] = tokenizer.encode('; ');
  return {
    async answers(questions: readonly Question[], { careful }: PlayerOptions): Promise<string[]> {
      const prompts: TinyPrompt[] = [];
      for (const { frame, prompt } of questions) prompts.push(await model.prompt(frame, prompt));
      const said = await model.answers(prompts);
      if (!careful) return said.map((tokens) => tokenizer.decode(tokens));
      const begun = said.map((tokens) => [
        ...thoughtsOf(tokens, tokenizer.encode('", '), goingOn!),
        goingOn!,
      ]);
      const rest = await model.answers(
        prompts.map(({ visual, tokens }, place) => ({ visual, tokens: [...tokens, ...begun[place]!] })),
      );
      return rest.map((tokens, place) => tokenizer.decode([...begun[place]!, ...tokens]));
    },
    dispose: () => model.dispose(),
  };
}

/** An answer up to the end or continuation of its thoughts. */
function thoughtsOf(tokens: readonly number[], [ending]: readonly number[], goingOn: number): number[] {
  const first = tokens.findIndex((token) => token === goingOn || token === ending);
  return tokens.slice(0, first < 0 ? tokens.length : first);
}
