/**
 * What a vision-language model reads of a card game or a grid world, and which action its answer names: the picture, then the published
 * prompt of the step; the answer's JSON, else the one action that stands in it, else none.
 */
import { promptOf, type Answer, type Policy, type StepEnvironment } from '@emac/core';
import { promptOfSeen } from '@emac/gym-cards';
import { miniGridPrompt, offeredActions, type Palette } from '@emac/minigrid';
import { answeredAction } from '@emac/postprocess';
import type { Reading, StepTexts } from '@emac/rollout';

export interface LanguageReading {
  readonly environment: Pick<StepEnvironment, 'id' | 'actions'>;
  readonly palette: Palette;
  /** card games: asks for the action alone, without thoughts */
  readonly actionOnly: boolean;
  readonly encode: Policy['encode'];
  /** what each token adds to an answer's text */
  readonly tokenTexts: (tokens: readonly number[]) => readonly string[];
}

/** Texts for one environment. Errors: `usage` for a MiniGrid level without a published prompt under its palette. */
export function languageTexts({ environment, encode, tokenTexts, ...asked }: LanguageReading): StepTexts {
  const { id, actions } = environment;
  const named = namedActions(environment);
  const words = named.map((action) => actions[action]!);
  return {
    frames: true,
    offered: named,
    prompt: async ({ frame, text, arrays }) =>
      promptOf([await encode(frame!)], questionOf(id, { text, arrays }, asked)),
    read: (answer) => readAnswer(answer, { words, named, tokenTexts }),
  };
}

/** In MiniGrid those that the prompt offers. */
function namedActions({ id, actions }: LanguageReading['environment']): readonly number[] {
  return id.startsWith('MiniGrid-') ? offeredActions(id) : [...actions.keys()];
}

function questionOf(
  id: string,
  { text, arrays }: { readonly text: string; readonly arrays: Parameters<typeof promptOfSeen>[1] },
  { palette, actionOnly }: Pick<LanguageReading, 'palette' | 'actionOnly'>,
): string {
  if (id.startsWith('MiniGrid-')) return miniGridPrompt({ id, text: () => text }, { palette });
  return promptOfSeen(id, arrays, { actionOnly });
}

interface Words extends Pick<LanguageReading, 'tokenTexts'> {
  readonly words: readonly string[];
  /** the number of each word's action */
  readonly named: readonly number[];
}

function readAnswer({ text, tokens }: Answer, { words, named, tokenTexts }: Words): Reading {
  const { action, source } = answeredAction(text, { actions: words, draw: ([first]) => first! });
  if (source === 'random') return { action: null, actionStart: 0 };
  return { action: named[words.indexOf(action)]!, actionStart: actionStart(tokenTexts(tokens)) };
}

/** The token in which the last `"action":` begins; 0 where there is none, and all of the answer counts as the action. */
export function actionStart(texts: readonly string[]): number {
  const marker = texts.join('').search(/"action"\s*:(?![\s\S]*"action"\s*:)/i);
  let end = 0;
  return Math.max(
    0,
    texts.findIndex((text) => (end += text.length) > marker),
  );
}
