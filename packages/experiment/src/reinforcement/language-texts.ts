/**
 * What a vision-language model reads of a card game or a grid world, and which action its answer names: the picture, then the published
 * prompt of the step; the answer's JSON, else the one action that stands in it, else none. Where scores are asked for in place of an action, the action is
 * drawn by them.
 */
import { EmacError, promptOf, type Answer, type Policy, type Random, type StepEnvironment } from '@emac/core';
import { promptOfSeen } from '@emac/gym-cards';
import { miniGridPrompt, offeredActions, type Palette } from '@emac/minigrid';
import { actionScores, answeredAction, scoreProbabilities } from '@emac/postprocess';
import type { Reading, StepTexts } from '@emac/rollout';

export interface LanguageReading {
  readonly environment: Pick<StepEnvironment, 'id' | 'actions'>;
  readonly palette: Palette;
  /** card games: asks for the action alone, without thoughts */
  readonly actionOnly: boolean;
  /** MiniGrid: asks for a score of each action in place of an action */
  readonly actionScores: boolean;
  readonly encode: Policy['encode'];
  /** what each token adds to an answer's text */
  readonly tokenTexts: (tokens: readonly number[]) => readonly string[];
}

/** Texts for one environment. Errors: `usage` for a MiniGrid level without a published prompt under its palette, and for scores in card games. */
export function languageTexts({ environment, encode, tokenTexts, ...asked }: LanguageReading): StepTexts {
  const { id, actions } = environment;
  if (asked.actionScores && !id.startsWith('MiniGrid-'))
    throw new EmacError('usage', `--action-score-prompt: is for MiniGrid-…, got ${id}; leave it out`);
  const named = namedActions(environment);
  const words = named.map((action) => actions[action]!);
  return {
    frames: true,
    offered: named,
    prompt: async ({ frame, text, arrays }) =>
      promptOf([await encode(frame!)], questionOf(id, { text, arrays }, asked)),
    read: (answer, random) =>
      (asked.actionScores ? readScores(answer, { words, named, tokenTexts }, random) : null) ??
      readAnswer(answer, { words, named, tokenTexts }),
  };
}

/** In MiniGrid those that the prompt offers. */
function namedActions({ id, actions }: LanguageReading['environment']): readonly number[] {
  return id.startsWith('MiniGrid-') ? offeredActions(id) : [...actions.keys()];
}

type Asked = Pick<LanguageReading, 'palette' | 'actionOnly' | 'actionScores'>;

function questionOf(
  id: string,
  { text, arrays }: { readonly text: string; readonly arrays: Parameters<typeof promptOfSeen>[1] },
  { palette, actionOnly, actionScores: scores }: Asked,
): string {
  if (id.startsWith('MiniGrid-'))
    return miniGridPrompt({ id, text: () => text }, { palette, asksFor: scores ? 'scores' : 'action' });
  return promptOfSeen(id, arrays, { actionOnly });
}

interface Words extends Pick<LanguageReading, 'tokenTexts'> {
  readonly words: readonly string[];
  /** the number of each word's action */
  readonly named: readonly number[];
}

/** Draws by the scores, or takes the first of the highest; null where there are none. MultiRoom's published prompt asks for an action all the same. */
function readScores(
  { text, tokens }: Answer,
  { words, named, tokenTexts }: Words,
  random: Random | null,
): Reading | null {
  const scores = actionScores(text, words);
  if (scores === null) return null;
  const place = random ? drawnBy(scoreProbabilities(scores), random) : scores.indexOf(Math.max(...scores));
  return { action: named[place]!, actionStart: actionStart(tokenTexts(tokens)) };
}

function drawnBy(probabilities: readonly number[], random: Random): number {
  let left = random.uniform();
  const place = probabilities.findIndex((probability) => (left -= probability) < 0);
  return place < 0 ? probabilities.length - 1 : place;
}

function readAnswer({ text, tokens }: Answer, { words, named, tokenTexts }: Words): Reading {
  const { action, source } = answeredAction(text, { actions: words, draw: ([first]) => first! });
  if (source === 'random') return { action: null, actionStart: 0 };
  return { action: named[words.indexOf(action)]!, actionStart: actionStart(tokenTexts(tokens)) };
}

/** The token in which the last `"action":` or `"action_scores":` begins; 0 where there is none, and all of the answer counts as the action. */
export function actionStart(texts: readonly string[]): number {
  const start = texts.join('').search(marker);
  let end = 0;
  return Math.max(
    0,
    texts.findIndex((text) => (end += text.length) > start),
  );
}

/** The last of them. */
const marker = /"action(?:_scores)?"\s*:(?![\s\S]*"action(?:_scores)?"\s*:)/i;
