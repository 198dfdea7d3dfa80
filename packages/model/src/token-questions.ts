/** Questions about a model's tokens that need no computation: how many a picture has, their texts, the tokens of a text, and how many fit. */
import {
  blind,
  hasNoConversations,
  shownPicture,
  writtenText,
  type Conversation,
  type TextTokenizer,
  type Written,
} from '@emac/backbone';
import type { Features, Prompt } from '@emac/core';
import type { Engine } from './engine.ts';
import { readPrompt } from './read-prompt.ts';

export interface TokenQuestions {
  /** Visual tokens of a picture in a prompt. Errors: `usage` for a model that reads text alone. */
  countVisualTokens(features: Features): number;
  /** The text that each token adds to an answer: empty for special ones. Joined, they are the text. */
  tokenTexts(tokens: readonly number[]): readonly string[];
  /** Ids of an answer's text after a prompt, without an end token, of any length. */
  answerTokens(text: string): readonly number[];
  /** Tokens that still fit after a prompt. Errors: `data` if there is no room for one. */
  answerRoom(prompt: Prompt): number;
  /** positions of the model: the most tokens of a prompt and its answer together */
  readonly positions: number;
  /** most tokens of an answer, the end token included */
  readonly longestAnswer: number;
  /** A whole conversation in the folder's chat template, its targets marked. Errors: `usage` without a template; `data` for messages that it refuses. */
  writtenConversation: Conversation['written'];
  /** How many ids it has at most, as far as that is seen without a tokenizer; Infinity without a target. Errors: as `writtenConversation`. */
  mostConversationIds: Conversation['mostIds'];
  /** A text without a template, the end token behind it; what follows `before` is its target. */
  writtenText(text: { readonly before: string; readonly after: string }): Written;
  /** How many ids a text has at most, the end token included; Infinity: not known without a tokenizer. */
  mostTextIds(text: string): number;
}

export function tokenQuestions(engine: Pick<Engine, 'backbone' | 'tokens' | 'generation'>): TokenQuestions {
  const { backbone, tokens, generation } = engine;
  const conversation = () => {
    const form = backbone.prompts();
    if (form.conversation === null) throw hasNoConversations(form, 'data', backbone.files);
    return form.conversation;
  };
  return {
    countVisualTokens: ({ data }) => {
      const connector = backbone.connector ?? blind(backbone.files);
      return shownPicture(connector.sight(data), connector).tokens;
    },
    tokenTexts: (ids) => tokenTexts(backbone.tokenizer(), ids),
    answerTokens: tokens.answer,
    answerRoom: (prompt) => {
      const { pictures, text } = readPrompt(prompt, engine);
      return tokens.room(tokens.turn(text, pictures.length), pictures);
    },
    positions: backbone.files.config.llama.maxPositions,
    longestAnswer: generation.maxLength,
    writtenConversation: (messages, writing) => conversation().written(messages, writing),
    mostConversationIds: (messages, writing) => conversation().mostIds(messages, writing),
    writtenText: (text) => writtenText(text, { tokenizer: backbone.tokenizer(), endToken: tokens.endToken }),
    mostTextIds: (text) => backbone.tokenizer().mostIds(text) + 1,
  };
}

/** Tokens may hold parts of a character, so texts are decoded for prefixes of the tokens. */
function tokenTexts(tokenizer: Pick<TextTokenizer, 'decode'>, tokens: readonly number[]): readonly string[] {
  const beginnings = tokens.map((_, place) => tokenizer.decode(tokens.slice(0, place + 1)));
  return beginnings.map((text, place) => text.slice(beginnings[place - 1]?.length ?? 0));
}
