/** A scripted player of an environment with a prompt: the best action, and a perfect player's answer. */
import { EmacError, type AnswerForm, type PromptForm, type StepEnvironment } from '@emac/core';
import { localWorld } from '../environments/kind-of.ts';
import { ownPalette } from './ppo-environments.ts';

export interface ScriptedPlayer {
  readonly environment: StepEnvironment;
  /** the actions that the prompt offers, by number */
  readonly offered: readonly number[];
  /** whether the action alone can be requested */
  readonly asksActionOnly: boolean;
  /** the best offered action; the first if none leads to the end of the game */
  expert(): number;
  /** a vision-language model's current prompt */
  prompt(form: Pick<PromptForm, 'actionOnly'>): string;
  /** the JSON that takes this action now */
  answer(action: number, form: AnswerForm): string;
}

export interface ScriptedPlayerOptions {
  /** step limit; null for the environment's own */
  readonly maxSteps: number | null;
  /** colours of the picture, if there is a choice */
  readonly palette: string;
}

/**
 * Errors: `usage` for an unknown id, for an environment without a prompt, and, on request, for a palette without one.
 */
export function scriptedPlayer(id: string, { maxSteps, palette }: ScriptedPlayerOptions): ScriptedPlayer {
  const world = localWorld(id);
  const { words } = world;
  if (!words)
    throw new EmacError('usage', `${world.id}: has no prompt that a scripted player can answer in words`);
  const environment = world.make({ maxSteps, palette: ownPalette(palette) });
  return {
    environment,
    offered: world.offered,
    asksActionOnly: words.asksActionOnly,
    expert: () => world.expert(environment),
    prompt: ({ actionOnly = false }) =>
      words.prompt({ text: environment.text(), arrays: environment.observe() }, { palette, actionOnly }),
    answer: (action, form) => words.answer(environment, action, form),
  };
}
