/** What is asked of a model's tokens without computing with it: how many pictures have, what they say, how a text is said, and how many fit. */
import { shownPicture, type TextTokenizer } from '@emac/backbone';
import type { Features, Prompt } from '@emac/core';
import type { Engine } from './engine.ts';
import { readPrompt } from './read-prompt.ts';

export interface TokenQuestions {
  /** Visual tokens that a picture has in a prompt. */
  countVisualTokens(features: Features): number;
  /** What each token adds to an answer's text: nothing for a special one. Together they are the text. */
  tokenTexts(tokens: readonly number[]): readonly string[];
  /** Ids that an answer's text has after a prompt's end, without an end token, however many. */
  answerTokens(text: string): readonly number[];
  /** Tokens that may follow a prompt in the model's positions. Errors: `data` where there is no room for one. */
  answerRoom(prompt: Prompt): number;
}

export function tokenQuestions(engine: Pick<Engine, 'backbone' | 'tokens'>): TokenQuestions {
  const { backbone, tokens } = engine;
  return {
    countVisualTokens: ({ data }) => {
      const { connector } = backbone;
      return shownPicture(connector.sight(data), connector).tokens;
    },
    tokenTexts: (ids) => tokenTexts(backbone.tokenizer(), ids),
    answerTokens: tokens.answer,
    answerRoom: (prompt) => {
      const { pictures, text } = readPrompt(prompt, engine);
      return tokens.room(tokens.turn(text, pictures.length), pictures);
    },
  };
}

/** Tokens may hold parts of a character: what is text is known of their beginnings only. */
function tokenTexts(tokenizer: Pick<TextTokenizer, 'decode'>, tokens: readonly number[]): readonly string[] {
  const beginnings = tokens.map((_, place) => tokenizer.decode(tokens.slice(0, place + 1)));
  return beginnings.map((text, place) => text.slice(beginnings[place - 1]?.length ?? 0));
}
