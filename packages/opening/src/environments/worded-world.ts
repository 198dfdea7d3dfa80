/**
 * A robot's table for language models: each step commands the hand by one of a few words, and answers are JSON with the
 * word, as with cards. There is no published prompt; this one has the task, the words, and the answer's form.
 */
import { openedWorld, type KindSettings, type LocalWorld, type OpenedKind } from '@emac/core';
import { wordsSpeech } from '@emac/postprocess';

/** An environment controlled by words. Errors: those of the world for a setting without meaning there. */
export function wordedWorld(world: LocalWorld, settings: KindSettings): OpenedKind {
  const words = { asksActionOnly: true, asksScores: false, isAllInText: false, prompt: promptOf(world) };
  return openedWorld(world, settings, wordsSpeech({ ...world, words }, { maxSteps: null }));
}

const promptOf =
  ({ actions, offered }: LocalWorld) =>
  ({ text }: { readonly text: string }): string =>
    [
      `You see a robot's hand over a table. Your task is to ${text}.`,
      `Tell the hand one of: ${offered.map((action) => `"${actions[action]!}"`).join(', ')}.`,
      'Answer with JSON: {"action": "..."}',
    ].join('\n');
